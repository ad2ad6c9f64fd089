package postgres

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// The package speaks to the server through pgconn, the lower half of pgx: the upper one and its
// types would make the program larger by 3 MB, also for those who keep their store in a file. So
// the few types that the statements here have are encoded and read below.

// A batch is statements that are run in one transaction and sent in one round trip.
type batch struct{ statements []*statement }

// A statement is prepared in each connection when that runs it first.
type statement struct {
	sql  string
	args []any
	each func(r row) error // for each row; nil: they are passed over
}

func (b *batch) queue(sql string, args ...any) *statement {
	s := &statement{sql: sql, args: args}
	b.statements = append(b.statements, s)
	return s
}

// rows has each called for each row of the answer. The row is valid until it returns.
func (s *statement) rows(each func(r row) error) { s.each = each }

// binaryFormat is the format of parameters and results.
var binaryFormat = []int16{1}

// send runs a batch. The first error of a row ends the reading, and does not take back what the
// server has done.
func (c *connection) send(ctx context.Context, b *batch) error {
	sent := &pgconn.Batch{}
	for _, s := range b.statements {
		d, err := c.prepare(ctx, s.sql)
		if err != nil {
			return err
		}
		params, err := encodeAll(d.ParamOIDs, s.args)
		if err != nil {
			return fmt.Errorf("%w: %s", err, s.sql)
		}
		sent.ExecPrepared(d.Name, params, binaryFormat, binaryFormat)
	}
	results := c.ExecBatch(ctx, sent)
	var failed error
	for i := 0; results.NextResult(); i++ {
		for r := results.ResultReader(); r.NextRow(); {
			if each := b.statements[i].each; each != nil && failed == nil {
				failed = each(row(r.Values()))
			}
		}
	}
	if err := results.Close(); err != nil {
		return err
	}
	return failed
}

// prepare prepares a statement once.
func (c *connection) prepare(ctx context.Context, sql string) (*pgconn.StatementDescription, error) {
	if d, ok := c.prepared[sql]; ok {
		return d, nil
	}
	d, err := c.Prepare(ctx, fmt.Sprint("s", len(c.prepared)), sql, nil)
	if err == nil {
		c.prepared[sql] = d
	}
	return d, err
}

// The types of parameters, by their object ids in every PostgreSQL.
const (
	oidBool  = 16
	oidBytea = 17
	oidInt8  = 20
	oidInt2  = 21
	oidInt4  = 23
	oidText  = 25
)

// encodeAll is the parameters of a statement. A nil parameter is null.
func encodeAll(oids []uint32, args []any) ([][]byte, error) {
	if len(oids) != len(args) {
		return nil, fmt.Errorf("%d parameters for %d places", len(args), len(oids))
	}
	params := make([][]byte, len(args))
	for i, arg := range args {
		var err error
		if params[i], err = encode(oids[i], arg); err != nil {
			return nil, err
		}
	}
	return params, nil
}

func encode(oid uint32, arg any) ([]byte, error) {
	switch v := arg.(type) {
	case nil:
		return nil, nil
	case int:
		return integer(oid, int64(v))
	case int16:
		return integer(oid, int64(v))
	case int32:
		return integer(oid, int64(v))
	case int64:
		return integer(oid, v)
	case bool:
		return boolean(v), nil
	case string:
		return append([]byte{}, v...), nil
	case []byte:
		return v, nil
	case time.Duration: // microseconds, days, months
		return append(binary.BigEndian.AppendUint64(nil, uint64(v.Microseconds())), make([]byte, 8)...), nil
	case []bool:
		return array(oidBool, len(v), func(i int) []byte { return boolean(v[i]) }), nil
	case [][]byte:
		return array(oidBytea, len(v), func(i int) []byte { return v[i] }), nil
	case []string:
		return array(oidText, len(v), func(i int) []byte { return append([]byte{}, v[i]...) }), nil
	case []int16:
		return array(oidInt2, len(v), func(i int) []byte { return binary.BigEndian.AppendUint16(nil, uint16(v[i])) }), nil
	case []int32:
		return array(oidInt4, len(v), func(i int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(v[i])) }), nil
	case []int64:
		return array(oidInt8, len(v), func(i int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(v[i])) }), nil
	default:
		return nil, fmt.Errorf("a parameter is a %T", arg)
	}
}

func boolean(v bool) []byte {
	if v {
		return []byte{1}
	}
	return []byte{0}
}

// integer has the size that the statement gives its place.
func integer(oid uint32, v int64) ([]byte, error) {
	switch oid {
	case oidInt2:
		return binary.BigEndian.AppendUint16(nil, uint16(v)), nil
	case oidInt4:
		return binary.BigEndian.AppendUint32(nil, uint32(v)), nil
	case oidInt8:
		return binary.BigEndian.AppendUint64(nil, uint64(v)), nil
	default:
		return nil, fmt.Errorf("an integer for the type %d", oid)
	}
}

// array has one dimension. A nil element is null.
func array(element uint32, n int, at func(i int) []byte) []byte {
	u32 := binary.BigEndian.AppendUint32
	dimensions := uint32(1)
	if n == 0 {
		dimensions = 0
	}
	data := u32(u32(u32(nil, dimensions), 1), element)
	if n == 0 {
		return data
	}
	data = u32(u32(data, uint32(n)), 1)
	for i := range n {
		v := at(i)
		if v == nil {
			data = u32(data, 0xffffffff)
			continue
		}
		data = append(u32(data, uint32(len(v))), v...)
	}
	return data
}

// A row is the columns of one row of an answer; nil is null.
type row [][]byte

var errRow = errors.New("a row of the store is not in its form")

// scan reads the columns. Bytes are valid as long as the row.
func (r row) scan(into ...any) error {
	if len(into) != len(r) {
		return errRow
	}
	for i, to := range into {
		v := r[i] //nolint:gosec // there are as many
		switch to := to.(type) {
		case *[]byte:
			*to = v
		case *string:
			*to = string(v)
		case *bool:
			*to = len(v) == 1 && v[0] != 0
		case *int:
			*to = int(number(v))
		case *int16:
			*to = int16(number(v))
		case *int32:
			*to = int32(number(v))
		case *int64:
			*to = number(v)
		case **int64:
			if *to = nil; v != nil {
				n := number(v)
				*to = &n
			}
		default:
			return errRow
		}
	}
	return nil
}

// number is an integer of any size, 0 for null.
func number(v []byte) int64 {
	switch len(v) {
	case 2:
		return int64(int16(binary.BigEndian.Uint16(v)))
	case 4:
		return int64(int32(binary.BigEndian.Uint32(v)))
	case 8:
		return int64(binary.BigEndian.Uint64(v))
	default:
		return 0
	}
}
