package httpshop

import (
	"encoding/binary"
	"math/bits"
	"sync"
)

// The number of bits, in hexadecimal, of each symbol of the code: of the 256 literals, the end of the block and the 29 lengths, and of the 30 distances. They
// are the Huffman code of what packing leaves of product texts in languages of Europe, and no bits are fewer than 4 or more than 12. They are part of the
// packed form too.
const (
	literalBits = "cccccccccccccccccccccccccccccccc4b7bbb8bbbbb776855567777777a9899" +
		"b88897a899b989889b9889a9baabb8b8b57764776687676578665777888bbabc" +
		"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbabbbbbbbbbbbbbbbbbbbbbb" +
		"ccbacaccccccccaaaaccccccccccccccccacccccccccccccbccccccccccccccc" +
		"9b5666787786767886ba798abbbbb7"
	distanceBits = "688888775454444444444446677687"
)

// A symbol is bits as they are written, the first of them the lowest.
type symbol struct {
	bits uint32
	size uint8
}

// with is a symbol with other bits behind it.
func (s symbol) with(extra, size int) symbol {
	return symbol{s.bits | uint32(extra)<<s.size, s.size + uint8(size)} //nolint:gosec // 13 bits at most
}

// A code is the Huffman code of every block, see RFC 1951. The symbols of lengths have their extra bits.
type code struct {
	head      []byte // of a block
	literals  []symbol
	end       symbol
	lengths   [mostCopy + 1]symbol
	distances []symbol
	seen      places // of the dictionary
}

var blockCode = sync.OnceValue(func() *code {
	literals, distances := codeBits(literalBits), codeBits(distanceBits)
	symbols := huffman(literals)
	c := &code{head: blockHead(literals, distances), literals: symbols[:256], end: symbols[256], distances: huffman(distances)}
	first, long := leastLength, symbols[257:]
	for i, s := range long[:len(long)-1] {
		extra := max(0, i/4-1)
		for more := 0; more < 1<<extra && first+more < mostCopy; more++ {
			c.lengths[first+more] = s.with(more, extra)
		}
		first += 1 << extra
	}
	c.lengths[mostCopy] = long[len(long)-1]
	c.seen.note([]byte(usual), 0, len(usual), 1)
	return c
})

// leastLength is the least that deflate knows.
const leastLength = 3

// distance is the symbol of a distance with its extra bits.
func (c *code) distance(d int) symbol {
	d--
	if d < 4 {
		return c.distances[d]
	}
	extra := bits.Len(uint(d)) - 2 //nolint:gosec // not below 0
	return c.distances[2*extra+d>>extra].with(d&(1<<extra-1), extra)
}

func codeBits(digits string) []uint8 {
	sizes := make([]uint8, len(digits))
	for i := range digits {
		sizes[i] = digits[i] - '0'
		if digits[i] >= 'a' {
			sizes[i] = digits[i] - 'a' + 10
		}
	}
	return sizes
}

// huffman is the symbols of a code by their numbers of bits.
func huffman(sizes []uint8) []symbol {
	symbols, next := make([]symbol, len(sizes)), uint32(0)
	for size := uint8(1); size < 16; size++ {
		next <<= 1
		for i, s := range sizes {
			if s == size {
				symbols[i] = symbol{bits.Reverse32(next) >> (32 - size), size}
				next++
			}
		}
	}
	return symbols
}

// blockHead is the head of a block: that it is the last, and its code. It fills whole bytes, since four bits are written of each symbol.
func blockHead(literals, distances []uint8) []byte {
	order := []int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12}
	sizes := make([]uint8, 19)
	for _, i := range order {
		sizes[i] = 4
	}
	sizes[16], sizes[17], sizes[18] = 3, 3, 3 // of no use here, and so the code has no gap
	var w bitWriter
	for _, s := range []symbol{{1, 1}, {2, 2}, {uint32(len(literals) - 257), 5}, {uint32(len(distances) - 1), 5}, {uint32(len(order) - 4), 4}} { //nolint:gosec // constants
		w.put(s)
	}
	for _, i := range order {
		w.put(symbol{uint32(sizes[i]), 3})
	}
	symbols := huffman(sizes)
	for _, size := range literals {
		w.put(symbols[size])
	}
	for _, size := range distances {
		w.put(symbols[size])
	}
	w.flush()
	return w.out
}

// A bitWriter appends bits to bytes.
type bitWriter struct {
	out  []byte
	bits uint64
	size uint8 // below 32 between calls
}

func (w *bitWriter) put(s symbol) {
	w.bits |= uint64(s.bits) << w.size
	if w.size += s.size; w.size >= 32 {
		w.out = binary.LittleEndian.AppendUint32(w.out, uint32(w.bits)) //nolint:gosec // the lower half
		w.bits >>= 32
		w.size -= 32
	}
}

// flush fills up the last byte with zeros.
func (w *bitWriter) flush() {
	for ; w.size > 0; w.size -= min(w.size, 8) {
		w.out = append(w.out, byte(w.bits)) //nolint:gosec // the lowest
		w.bits >>= 8
	}
}
