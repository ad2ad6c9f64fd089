package wire

import (
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
type LimitError struct {
	Limit string // "bytes", "elements" or "depth"
	Most  int64  // what the limit is
}

func (e *LimitError) Error() string {
	switch {
	case e.Limit == "depth":
		return fmt.Sprintf("the answer is nested deeper than %d levels", e.Most)
	case e.Limit == "elements":
		return fmt.Sprintf("the answer holds more than %d elements", e.Most)
	case e.Most >= 1<<20 && e.Most%(1<<20) == 0:
		return fmt.Sprintf("the answer is longer than %d MiB", e.Most>>20)
	default:
		return fmt.Sprintf("the answer is longer than %d bytes", e.Most)
	}
}

// readAll reads r to its end. The error is r's, or a [*LimitError] at the first byte beyond a limit.
// Elements and depth are counted, exactly for valid JSON, in a text that begins as an object or a
// list. A web page is returned as it is.
func readAll(r io.Reader, l Limits) ([]byte, error) {
	data, err := io.ReadAll(&limited{r: r, most: l})
	if err != nil {
		return nil, err
	}
	return data, nil
}

// A limited reader fails at the first byte beyond a limit.
type limited struct {
	r    io.Reader
	most Limits

	bytes           int64
	elements, depth int
	begun           bool // the first character has been seen
	other           bool // it was neither { nor [: nothing is counted
	text            bool // inside a string
	escaped         bool // behind a backslash in one
}

func (c *limited) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if c.bytes += int64(n); c.most.Bytes > 0 && c.bytes > c.most.Bytes {
		return n, &LimitError{Limit: "bytes", Most: c.most.Bytes}
	}
	for _, b := range p[:n] {
		c.count(b)
		switch {
		case c.most.Elements > 0 && c.elements > c.most.Elements:
			return n, &LimitError{Limit: "elements", Most: int64(c.most.Elements)}
		case c.most.Depth > 0 && c.depth > c.most.Depth:
			return n, &LimitError{Limit: "depth", Most: int64(c.most.Depth)}
		}
	}
	return n, err
}

func (c *limited) count(b byte) {
	switch {
	case !c.begun:
		if strings.IndexByte(" \t\r\n\xEF\xBB\xBF", b) >= 0 { // space, and the bytes of a byte order mark
			return
		}
		c.begun, c.other = true, b != '{' && b != '['
	case c.escaped:
		c.escaped = false
		return
	case c.text:
		c.escaped, c.text = b == '\\', b != '"'
		return
	}
	if c.other {
		return
	}
	switch b {
	case '"':
		c.text = true
	case ',':
		c.elements++
	case '{', '[':
		c.elements++
		c.depth++
	case '}', ']':
		c.depth--
	default:
	}
}
