package httpshop

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"io"
	"math/bits"
	"sync"

	"github.com/pubsync/pubsync/shopadapter"
)

// A packed body is one deflate block, with a dictionary, whose Huffman code is the same for every body. compress/flate makes a code for each: that takes
// four times as long, and writing the code down takes the room that it saves. The head of the block, which describes the code, is not kept: unpack puts it
// back, and compress/flate reads the block.

const (
	mostState = 16 << 10 // of a packed product: a longer one is read anew when it is needed
	mostBody  = 4 << 20

	// The first byte of a state is how it was packed.
	ruleFlate  = 1 // by compress/flate, as versions before did
	packedRule = 2 // by the code below
)

// usual is text that bodies have in common. It is part of the packed form: another text takes another packedRule.
const usual = `.jpg","https://.png","https:///images/</strong></em></li><li></ul><ul></p><p><br/>","changed":["title","description","images","category","variants","price","stock","shipping"]}` +
	`,"shipping":[{"countryGroup":"NL","fixedCosts":"4.95","variableCosts":"0.50","estimatedDays":"3"}],"returns":"true","updatedAt":"2026-01-01T00:00:00.000Z` +
	`","category":{"path":"","name":""},"options":["Color","Size","Material"],"variants":[` +
	`{"id":"","listingId":"","productId":"","language":"en","title":"","description":"<p>","translations":{"de":{"title":"","description":"<p>"},"en":{"title":"","description":"<p>"},"fr":{"title":"","description":"<p>"},"nl":{"title":"","description":"<p>"}}` +
	`,"images":["https://{"id":"","title":"","sku":"","ean":"","options":[{"name":"Color","value":""},{"name":"Size","value":""}],"price":"19.95","cost":"10.00","msrp":"24.95","quantity":0,"backorders":false},`

const (
	leastCopy  = 4
	mostCopy   = 258
	mostReach  = 32 << 10
	placesBits = 12
	keptRoom   = 256 << 10 // of a packer that waits for the next body
)

// places is where bytes with a hash stood last, one more than the index, 0 for nowhere.
type places [1 << placesBits]int32

func (p *places) slot(text []byte, at int) *int32 {
	return &p[binary.LittleEndian.Uint32(text[at:])*2654435761>>(32-placesBits)]
}

// note notes where the bytes from one index to another stand.
func (p *places) note(text []byte, from, to, step int) {
	for at := from; at < to && at+leastCopy <= len(text); at += step {
		*p.slot(text, at) = int32(at + 1) //nolint:gosec // below mostBody and a dictionary
	}
}

// A packer is the memory that packing takes.
type packer struct {
	text []byte // the dictionary, and the body behind it
	seen places
	out  bitWriter
}

var packers = sync.Pool{New: func() any { return new(packer) }}

// pack is the body of a PUT as it is left with the caller, nil where it is too large.
func pack(body []byte) []byte {
	if len(body) > mostBody {
		return nil
	}
	p := packers.Get().(*packer)
	p.text = append(append(p.text[:0], usual...), body...)
	p.out = bitWriter{out: append(p.out.out[:0], packedRule)}
	p.pack(blockCode())
	var state []byte
	if len(p.out.out) <= mostState {
		state = bytes.Clone(p.out.out)
	}
	if cap(p.text) <= keptRoom {
		packers.Put(p)
	}
	return state
}

// pack writes what follows the dictionary, or more than mostState of it.
func (p *packer) pack(c *code) {
	p.seen = c.seen
	text, at := p.text, len(usual)
	for at+leastCopy <= len(text) && len(p.out.out) <= mostState {
		slot := p.seen.slot(text, at)
		before := int(*slot) - 1
		*slot = int32(at + 1) //nolint:gosec // as above
		same := 0
		if before >= 0 && at-before <= mostReach {
			same = common(text[before:], text[at:min(at+mostCopy, len(text))])
		}
		if same < leastCopy {
			p.out.put(c.literals[text[at]])
			at++
			continue
		}
		p.out.put(c.lengths[same])
		p.out.put(c.distance(at - before))
		p.seen.note(text, at+1, at+same, 2)
		at += same
	}
	for ; at < len(text) && len(p.out.out) <= mostState; at++ {
		p.out.put(c.literals[text[at]])
	}
	p.out.put(c.end)
	p.out.flush()
}

// common is how many bytes two texts have in common from their beginning, b being no longer than a.
func common(a, b []byte) int {
	n := 0
	for ; n+8 <= len(b); n += 8 {
		if differ := binary.LittleEndian.Uint64(a[n:]) ^ binary.LittleEndian.Uint64(b[n:]); differ != 0 {
			return n + bits.TrailingZeros64(differ)/8
		}
	}
	for n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// unpack is the product of a packed body.
func unpack(state []byte) (p shopadapter.Product, ok bool) {
	body, ok := unpackBody(state)
	return p, ok && json.Unmarshal(body, &p) == nil
}

func unpackBody(state []byte) (body []byte, ok bool) {
	if len(state) == 0 {
		return nil, false
	}
	var head []byte
	switch state[0] {
	case ruleFlate: // has its own
	case packedRule:
		head = blockCode().head
	default:
		return nil, false
	}
	block := io.MultiReader(bytes.NewReader(head), bytes.NewReader(state[1:]))
	body, err := io.ReadAll(io.LimitReader(flate.NewReaderDict(block, []byte(usual)), mostBody))
	return body, err == nil
}
