package bolt

import "encoding/binary"

// series is a list of groups, each of which says how it differs from the one before: the variants of a product have much in common.
func series[T any](c *codec, number byte, v *[]T, fields func(c *codec, before, v *T)) {
	before := new(T)
	list(c, number, v, func(c *codec, v *T) {
		fields(c, before, v)
		before = v
	})
}

// like is a field with text that is often that of the group before, or begins as it does. The same text is no field. Text that is no number is the length of
// what both begin with, and the rest.
func like(c *codec, number byte, before, v *string) {
	if c.writing {
		writeLike(c, number, *before, *v)
		return
	}
	kind, ok := c.next(number)
	switch {
	case !ok:
		*v = *before
	case kind != kindBytes:
		*v = unpack(kind, c.readInt())
	default:
		data := c.readSized()
		shared, n := binary.Uvarint(data)
		if n <= 0 || shared > uint64(len(*before)) {
			c.broken = true
			return
		}
		*v = (*before)[:shared] + string(data[n:])
	}
}

func writeLike(c *codec, number byte, before, v string) {
	if v == before {
		return
	}
	if kind, n, ok := pack(v); ok {
		c.writeInt(number, kind, n)
		return
	}
	shared := 0
	for shared < min(len(before), len(v)) && before[shared] == v[shared] {
		shared++
	}
	var head [binary.MaxVarintLen64]byte
	n := binary.PutUvarint(head[:], uint64(shared)) //nolint:gosec // a length
	c.writeSized(number, n+len(v)-shared)
	c.buf = append(c.buf, head[:n]...)
	c.buf = append(c.buf, v[shared:]...)
}
