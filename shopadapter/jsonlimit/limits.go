package jsonlimit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
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

// The sizes of the pieces that an answer is read in, in bytes: each is twice the one before. They
// grow with what arrives, never with what a header claims.
const (
	firstPiece = 16 << 10 // most answers whole; it is used again
	mostPiece  = 1 << 20
)

var firstPieces = sync.Pool{New: func() any { return new([firstPiece]byte) }}

// Read reads r to its end. The error is r's, or an [*Error] at the first byte beyond a limit.
// Elements and depth are counted only in a text that begins as an object or a list. A web page is
// returned as it is. Who cuts something off before decoding, a byte order mark for one, decodes
// with [Unmarshal].
func Read(r io.Reader, l Limits) ([]byte, error) {
	var full [][]byte // pieces, so that a long answer is copied once
	first := firstPieces.Get().(*[firstPiece]byte)
	defer firstPieces.Put(first)
	piece, total := first[:0], int64(0)
	s := scanner{limits: l}
	for {
		if len(piece) == cap(piece) {
			full = append(full, piece)
			piece = make([]byte, 0, min(2*cap(piece), mostPiece))
		}
		n, err := r.Read(piece[len(piece):cap(piece)])
		piece = piece[:len(piece)+n]
		if total += int64(n); l.Bytes > 0 && total > l.Bytes {
			return nil, &Error{Limit: "bytes", Most: l.Bytes}
		}
		if excess := s.scan(piece[len(piece)-n:]); excess != nil {
			return nil, excess
		}
		switch {
		case err == nil:
		case errors.Is(err, io.EOF):
			if len(full) == 0 {
				return bytes.Clone(piece), nil
			}
			return bytes.Join(append(full, piece), nil), nil
		default:
			return nil, err
		}
	}
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
