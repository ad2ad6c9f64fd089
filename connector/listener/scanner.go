package listener

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"

	"github.com/pubsync/pubsync/connector/publication"
)

const (
	maxQuoted = 6*publication.MaxIdent + 2 // bytes of the JSON string that holds an id
	maxKey    = len("productVariant")      // bytes of the longest key that is read
	maxNested = 200                        // objects and lists within one another; a body is unreadable beyond
)

var scanners = sync.Pool{New: func() any { return &scanner{buf: make([]byte, 8<<10)} }}

// A scanner reads JSON as encoding/json does, and keeps nothing of it but ids and an updatedAt.
type scanner struct {
	src     io.Reader
	buf     []byte
	at, end int
	err     error // of src
	depth   int
	texts   [textsOfBody][]byte // as the JSON has them
	odd     bool                // data is something else than an object
	scratch []byte              // the string or number read last
}

// fill reads more into an empty buffer.
func (s *scanner) fill() bool {
	for s.at == s.end && s.err == nil {
		s.at = 0
		s.end, s.err = s.src.Read(s.buf)
	}
	return s.at < s.end
}

// end is no byte.
const end = -1

// peek is the next byte without taking it.
func (s *scanner) peek() int {
	if s.at == s.end && !s.fill() {
		return end
	}
	return int(s.buf[s.at])
}

// next takes the next byte.
func (s *scanner) next() int {
	if s.at < s.end {
		s.at++
		return int(s.buf[s.at-1])
	}
	return s.nextFilled()
}

func (s *scanner) nextFilled() int {
	c := s.peek()
	if c != end {
		s.at++
	}
	return c
}

// token takes the next byte that is no space.
func (s *scanner) token() int {
	for {
		c := s.next()
		if c > ' ' || c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			return c
		}
	}
}

// document reports whether the whole source is one object whose data is an object or null.
func (s *scanner) document() bool {
	return s.token() == '{' && s.object(bodyShape) && s.token() == end && !s.odd
}

// object reads an object after its opening brace.
func (s *scanner) object(of *shape) bool {
	if s.depth++; s.depth > maxNested {
		return false
	}
	defer func() { s.depth-- }()
	c := s.token()
	if c == '}' {
		return true
	}
	for ; c == '"'; c = s.token() {
		if !s.text(of != nil) || s.token() != ':' || !s.member(of) {
			return false
		}
		switch s.token() {
		case '}':
			return true
		case ',':
		default:
			return false
		}
	}
	return false
}

// member reads the value of the key read last.
func (s *scanner) member(of *shape) bool {
	if of == nil {
		return s.value(s.token(), nil)
	}
	key := plain(s.scratch)
	if which, ok := of.texts[string(key)]; ok {
		return s.ident(s.token(), which)
	}
	under := of.keys[string(key)]
	c := s.token()
	if of == bodyShape && under != nil {
		s.odd = c != '{' && c != 'n'
	}
	return s.value(c, under)
}

// plain is a key without quotes and escapes. A key that is longer than each of ours with every letter escaped becomes empty.
func plain(key []byte) []byte {
	if !bytes.ContainsRune(key, '\\') {
		return bytes.Trim(key, `"`)
	}
	var text string
	if len(key) <= 6*maxKey+2 {
		_ = json.Unmarshal(key, &text) //nolint:errcheck // the scanner has read it
	}
	return []byte(text)
}

// ident reads an id, which a marketplace may write as a string or as a number. A value of another kind is none.
func (s *scanner) ident(c, which int) (ok bool) {
	switch {
	case c == '"':
		ok = s.text(true)
	case c == '-' || c >= '0' && c <= '9':
		ok = s.number(c)
	default:
		s.scratch = s.scratch[:0]
		ok = s.value(c, nil)
		s.scratch = s.scratch[:0]
	}
	s.texts[which] = append(s.texts[which][:0], s.scratch...)
	return ok
}

// value reads the value that begins with c.
func (s *scanner) value(c int, of *shape) bool {
	switch c {
	case '{':
		return s.object(of)
	case '[':
		return s.list()
	case '"':
		return s.text(false)
	case 't':
		return s.word("rue")
	case 'f':
		return s.word("alse")
	case 'n':
		return s.word("ull")
	default:
		return s.number(c)
	}
}

func (s *scanner) list() bool {
	if s.depth++; s.depth > maxNested {
		return false
	}
	defer func() { s.depth-- }()
	c := s.token()
	if c == ']' {
		return true
	}
	for ; s.value(c, nil); c = s.token() {
		switch s.token() {
		case ']':
			return true
		case ',':
		default:
			return false
		}
	}
	return false
}
