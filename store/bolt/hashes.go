package bolt

import (
	"encoding/binary"
	"math/bits"
)

// Hashes come in blocks, of which those that are zero are left out.
const (
	hashBlock  = 8 // bytes
	mostBlocks = 32
)

// inBlocks reports whether hashes are some whole blocks. Others are written as they are.
func inBlocks(v []byte) bool {
	return len(v) > 0 && len(v)%hashBlock == 0 && len(v) <= mostBlocks*hashBlock
}

// hashes is a field with hashes in blocks: how many there are, the set of those that are not zero, and these.
func hashes(c *codec, number byte, v *[]byte) {
	if c.writing {
		if inBlocks(*v) {
			set, full := fullBlocks(*v)
			head := binary.AppendUvarint([]byte{byte(len(*v) / hashBlock)}, set)
			c.writeSized(number, len(head)+len(full))
			c.buf = append(append(c.buf, head...), full...)
		}
		return
	}
	kind, ok := c.next(number)
	if !ok {
		return
	}
	data := c.readSized()
	if kind != kindBytes || len(data) == 0 || data[0] > mostBlocks {
		c.broken = true
		return
	}
	out := make([]byte, int(data[0])*hashBlock)
	set, n := binary.Uvarint(data[1:])
	if n <= 0 || bits.Len64(set) > int(data[0]) || len(data) != 1+n+bits.OnesCount64(set)*hashBlock {
		c.broken = true
		return
	}
	for full := data[1+n:]; set != 0; set &= set - 1 {
		copy(out[bits.TrailingZeros64(set)*hashBlock:], full[:hashBlock])
		full = full[hashBlock:]
	}
	*v = out
}

// fullBlocks is the set of the blocks that are not zero, and these.
func fullBlocks(v []byte) (set uint64, full []byte) {
	full = make([]byte, 0, len(v))
	for i := range len(v) / hashBlock {
		block := v[i*hashBlock : (i+1)*hashBlock]
		if [hashBlock]byte(block) != [hashBlock]byte{} {
			set |= 1 << i
			full = append(full, block...)
		}
	}
	return set, full
}
