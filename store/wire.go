package store

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// Records, marks, reports and cursors are lists of fields, each with a number of its own, so that a field can be added without rewriting what is
// there and one that is empty costs nothing:
//
//	value    = field* checksum
//	field    = tag varint | tag length bytes
//	tag      = one byte: the field's number × 4 + its kind
//	checksum = CRC-32C of the key and the fields, four bytes, big-endian
//
// A reader passes over the fields that it does not know. So that the instants which it does know stay right, a field added later that is an instant
// is written after all others. The checksum covers the key too, so that a flipped bit in either is found: bbolt
// itself checks nothing but its first two pages.

const checksumSize = 4

func castagnoli() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) } // kept by crc32: this is a look-up

func checksum(key, fields []byte) uint32 {
	table := castagnoli()
	return crc32.Update(crc32.Checksum(key, table), table, fields)
}

// seal adds the checksum to fields.
func seal(key, fields []byte) []byte {
	return binary.BigEndian.AppendUint32(fields, checksum(key, fields))
}

// unseal is the fields of a value whose checksum is right.
func unseal(what string, key, value []byte) ([]byte, error) {
	n := len(value) - checksumSize
	if n < 0 || binary.BigEndian.Uint32(value[n:]) != checksum(key, value[:n]) {
		return nil, fmt.Errorf("%w: %s %.80q: checksum does not match", ErrCorrupt, what, key)
	}
	return value[:n], nil
}

// An encoder appends fields. Those with the zero value are left out, but for groups.
type encoder struct {
	buf  []byte
	last *Instant // the instant written before, over all groups of the value
}

func newEncoder(size int) *encoder { return &encoder{buf: make([]byte, 0, size), last: new(Instant)} }

// instant is a time as the distance from the one written before: what belongs to one publication happened within minutes as a rule, and each record
// holds half a dozen. Never is no field.
func (e *encoder) instant(number byte, v Instant) {
	if v != 0 {
		e.tagged(number, kindInt, int64(v-*e.last))
		*e.last = v
	}
}

func (e *encoder) num(number byte, v int64) {
	if v != 0 {
		e.tagged(number, kindInt, v)
	}
}

func (e *encoder) flag(number byte, v bool) {
	if v {
		e.num(number, 1)
	}
}

func (e *encoder) tagged(number, kind byte, v int64) {
	e.buf = binary.AppendVarint(append(e.buf, number<<2|kind), v)
}

func (e *encoder) text(number byte, v string) {
	if kind, n, ok := pack(v); ok {
		e.tagged(number, kind, n)
		return
	}
	e.bytes(number, []byte(v))
}

func (e *encoder) bytes(number byte, v []byte) {
	if len(v) > 0 {
		e.sized(number, v)
	}
}

func (e *encoder) sized(number byte, v []byte) {
	e.buf = binary.AppendUvarint(append(e.buf, number<<2|kindBytes), uint64(len(v)))
	e.buf = append(e.buf, v...)
}

// group is a field that holds fields; it is written even when it is empty, since it may be one of a list.
func (e *encoder) group(number byte, write func(*encoder)) {
	inner := encoder{last: e.last}
	write(&inner)
	e.sized(number, inner.buf)
}

// A decoder reads fields one after another. After next has returned true, num or data holds the field's value.
type decoder struct {
	rest   []byte
	number byte
	kind   byte
	num    int64
	data   []byte // into the value: to be copied before the transaction ends
	broken bool   // the fields end in the middle of one
	last   *Instant
}

func (d *decoder) next() bool {
	if len(d.rest) == 0 || d.broken {
		return false
	}
	tag := d.rest[0]
	d.number, d.kind, d.num, d.data, d.rest = tag>>2, tag&3, 0, nil, d.rest[1:]
	if d.kind != kindBytes {
		v, n := binary.Varint(d.rest)
		if n <= 0 {
			return d.fail()
		}
		d.num, d.rest = v, d.rest[n:]
		return true
	}
	size, n := binary.Uvarint(d.rest)
	if n <= 0 || size > uint64(len(d.rest)-n) {
		return d.fail()
	}
	d.data, d.rest = d.rest[n:n+int(size)], d.rest[n+int(size):] //nolint:gosec // not above the length of a slice
	return true
}

func (d *decoder) fail() bool {
	d.broken = true
	return false
}

func (d *decoder) text() string {
	if d.kind != kindBytes {
		return unpack(d.kind, d.num)
	}
	return string(d.data)
}

func (d *decoder) clone() []byte { return append([]byte(nil), d.data...) }

func (d *decoder) flag() bool { return d.num != 0 }

func (d *decoder) instant() Instant {
	*d.last += Instant(d.num)
	return *d.last
}

// group reads the fields within a field.
func (d *decoder) group(read func(*decoder)) {
	inner := decoder{rest: d.data, last: d.last}
	for inner.next() {
		read(&inner)
	}
	d.broken = d.broken || inner.broken
}

// decode unseals a value and reads its fields.
func decode(what string, key, value []byte, read func(*decoder)) error {
	fields, err := unseal(what, key, value)
	if err != nil {
		return err
	}
	d := decoder{rest: fields, last: new(Instant)}
	for d.next() {
		read(&d)
	}
	if d.broken {
		return fmt.Errorf("%w: %s %.80q: fields are cut off", ErrCorrupt, what, key)
	}
	return nil
}
