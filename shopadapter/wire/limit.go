package wire

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// Limits are the most that an answer may hold. A limit of 0 is none. A few kilobytes of gzip unfold
// into megabytes of `{},{},{},`, and each of these empty objects becomes some hundred bytes of Go:
// the number of bytes alone is no bound on memory. Choose limits for the question that was asked.
type Limits struct {
	Bytes int64 // after decompression
	// objects, lists, and what follows a comma: at least one for each member of an object and for
	// each value of a list
	Elements int
	Depth    int // objects and lists inside one another
}

// A LimitError says which limit an answer exceeds.
type LimitError struct{ Text string }

func (e *LimitError) Error() string { return e.Text }

// usual is what an answer may measure, in bytes after decompression, without waiting for its turn.
// Decoding takes a few times an answer's length: four large ones at once would be too much.
const usual = 1 << 20

// A bounded reader reads an answer. It fails at the first byte beyond a limit, and beyond the usual
// length it waits until no other large answer is read or decoded. Elements and depth are counted,
// exactly for valid JSON, in a text that begins as an object or a list. A web page is read as it is.
type bounded struct {
	r     io.Reader
	most  Limits
	done  <-chan struct{} // the request may take no longer
	large chan struct{}
	turn  bool // it holds large

	bytes             int64
	elements, depth   int
	begun, other      bool // the first character has been seen; it was neither { nor [: nothing is counted
	inString, escaped bool // inside a string; behind a backslash in one
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.bytes >= usual && !b.turn {
		select {
		case b.large <- struct{}{}:
			b.turn = true
		case <-b.done:
			return 0, context.DeadlineExceeded
		}
	}
	n, err := b.r.Read(p)
	if b.bytes += int64(n); b.most.Bytes > 0 && b.bytes > b.most.Bytes {
		return n, &LimitError{fmt.Sprintf("the answer is longer than %s", size(b.most.Bytes))}
	}
	for _, c := range p[:n] {
		b.count(c)
		switch {
		case b.most.Elements > 0 && b.elements > b.most.Elements:
			return n, &LimitError{fmt.Sprintf("the answer holds more than %d elements", b.most.Elements)}
		case b.most.Depth > 0 && b.depth > b.most.Depth:
			return n, &LimitError{fmt.Sprintf("the answer is nested deeper than %d levels", b.most.Depth)}
		}
	}
	return n, err
}

// end gives the turn back, once what was read is decoded.
func (b *bounded) end() {
	if b.turn {
		<-b.large
	}
}

func (b *bounded) count(c byte) {
	switch {
	case !b.begun:
		if strings.IndexByte(" \t\r\n\xEF\xBB\xBF", c) >= 0 { // space, and the bytes of a byte order mark
			return
		}
		b.begun, b.other = true, c != '{' && c != '['
	case b.escaped:
		b.escaped = false
		return
	case b.inString:
		b.escaped, b.inString = c == '\\', c != '"'
		return
	}
	if b.other {
		return
	}
	switch c {
	case '"':
		b.inString = true
	case ',':
		b.elements++
	case '{', '[':
		b.elements++
		b.depth++
	case '}', ']':
		b.depth--
	default:
	}
}

func size(bytes int64) string {
	if bytes >= 1<<20 && bytes%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%d bytes", bytes)
}
