package postgres

import (
	"context"
	"fmt"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/value"
)

// checkSize is how many rows Check reads at a time.
const checkSize = 512

const (
	checkRecords = `
		select key, id, known, state, since, data, report, seq from record
		where account = $1 and key > $2 order by key limit $3`
	checkMarks = `select key, id, class, at, data from mark where account = $1 and key > $2 order by key limit $3`
)

// Check reads every value, while others go on reading and writing: each checksum, and that the
// columns by which rows are found agree with it. It takes some hundred rows at a time.
func (s *Store) Check(ctx context.Context) error {
	for sql, check := range map[string]func(r row) error{checkRecords: checkRecord, checkMarks: checkMark} {
		for after, more := []byte{}, true; more; {
			begin, n := after, 0
			err := s.read(ctx, func(ctx context.Context) error {
				n = 0
				return s.db.query(ctx, func(r row) error {
					after, n = append([]byte{}, r[0]...), n+1
					return check(r)
				}, sql, s.account, begin, checkSize)
			})
			if err != nil {
				return err
			}
			more = n == checkSize
		}
	}
	return nil
}

func checkRecord(r row) error {
	var key, long, data, report []byte
	var known bool
	var state string
	var since int64
	var seq *int64
	if err := r.scan(&key, &long, &known, &state, &since, &data, &report, &seq); err != nil {
		return err
	}
	id := idOf(key, long)
	record, err := decodeRecord(id, data)
	if err == nil && seq != nil {
		_, err = decodeReport(id, report, *seq)
	}
	if err == nil && known && (string(record.State) != state || int64(store.Keys(record)[0].Since) != since) {
		err = fmt.Errorf("%w: record %.80q and its columns differ", store.ErrCorrupt, id)
	}
	return err
}

func checkMark(r row) error {
	var key, long, data []byte
	var class int16
	var at int64
	if err := r.scan(&key, &long, &class, &at, &data); err != nil {
		return err
	}
	m, id := store.Mark{}, idOf(key, long)
	err := value.Decode("mark", id, data, &m)
	if err == nil && (int16(m.Class) != class || column(m.At) != at) {
		err = fmt.Errorf("%w: mark %.80q and its columns differ", store.ErrCorrupt, id)
	}
	return err
}
