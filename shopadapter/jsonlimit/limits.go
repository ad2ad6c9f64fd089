package jsonlimit

import (
	"encoding/json"
	"fmt"
	"io"
)

// Limits are the most that an answer may hold. A limit of 0 is none.
type Limits struct {
	Bytes int64 // after decompression
	// objects, lists, and what follows a comma: at least one for each member of an object and for
	// each value of a list
	Elements int
	Depth    int // objects and lists inside one another
}

// An Error says which limit an answer exceeds.
type Error struct {
	Limit string // "bytes", "elements" or "depth"
	Most  int64  // what the limit is
}

func (e *Error) Error() string {
	switch e.Limit {
	case "bytes":
		return "the answer is longer than " + size(e.Most)
	case "depth":
		return fmt.Sprintf("the answer is nested deeper than %d levels", e.Most)
	default:
		return fmt.Sprintf("the answer holds more than %d %s", e.Most, e.Limit)
	}
}

func size(bytes int64) string {
	for _, unit := range []struct {
		bytes int64
		name  string
	}{{1 << 20, "MiB"}, {1 << 10, "KiB"}} {
		if bytes >= unit.bytes && bytes%unit.bytes == 0 {
			return fmt.Sprintf("%d %s", bytes/unit.bytes, unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// Read reads r to its end. The error is r's, or an [*Error] at the first byte beyond a limit.
// Elements and depth are counted only in a text that begins as an object or a list. A web page is
// returned as it is. Who cuts something off before decoding, a byte order mark for one, decodes
// with [Unmarshal].
func Read(r io.Reader, l Limits) ([]byte, error) {
	data, err := io.ReadAll(&counted{r: r, scanner: scanner{limits: l}})
	if err != nil {
		return nil, err
	}
	return data, nil
}

// counted fails at the first byte beyond a limit.
type counted struct {
	r     io.Reader
	total int64
	scanner
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if c.total += int64(n); c.limits.Bytes > 0 && c.total > c.limits.Bytes {
		return n, &Error{Limit: "bytes", Most: c.limits.Bytes}
	}
	if excess := c.scan(p[:n]); excess != nil {
		return n, excess
	}
	return n, err
}

// Check reports the limit that data exceeds, as an [*Error]; nil for none.
func Check(data []byte, l Limits) error {
	if l.Bytes > 0 && int64(len(data)) > l.Bytes {
		return &Error{Limit: "bytes", Most: l.Bytes}
	}
	s := scanner{limits: l}
	if excess := s.scan(data); excess != nil {
		return excess
	}
	return nil
}

// Unmarshal is [json.Unmarshal] behind [Check].
func Unmarshal(data []byte, l Limits, v any) error {
	if err := Check(data, l); err != nil {
		return err
	}
	return json.Unmarshal(data, v)
}
