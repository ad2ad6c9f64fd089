package marketplace

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/bits"
	"unicode/utf8"
)

// A scan reads JSON in one pass, as long as it is written in the usual way: valid, members named exactly as expected, each once, values of the expected
// kind. Anything else makes the scan odd. Then encoding/json reads the text anew, so that a scan has no opinion of its own: what it reads, encoding/json
// reads alike, and what an unusual answer comes to is decided in one place.
type scan struct {
	data  []byte
	at    int
	depth int
	odd   bool
}

// deepest bounds the nesting that a scan follows. An answer has passed a lower limit already.
const deepest = 64

// value moves to the next byte that is no space, and returns it; 0 at the end.
func (s *scan) value() byte {
	for ; s.at < len(s.data); s.at++ {
		switch c := s.data[s.at]; c {
		case ' ', '\n', '\t', '\r':
		default:
			return c
		}
	}
	return 0
}

// take reads one sign, if it comes next.
func (s *scan) take(sign byte) bool {
	if s.odd || s.value() != sign || sign == 0 {
		return false
	}
	s.at++
	return true
}

// want reads one sign, which must come next.
func (s *scan) want(sign byte) {
	if !s.take(sign) {
		s.odd = true
	}
}

// null reads a null, if one comes next.
func (s *scan) null() bool {
	if s.odd || s.value() != 'n' {
		return false
	}
	s.word("null")
	return !s.odd
}

func (s *scan) word(word string) {
	if !bytes.HasPrefix(s.data[s.at:], []byte(word)) {
		s.odd = true
		return
	}
	s.at += len(word)
}

// object reads an object. member reads the value of the member with a name and returns the member's number, below 64; -1: it expects none of this name.
func (s *scan) object(member func(name []byte) int) {
	s.want('{')
	if s.take('}') {
		return
	}
	var seen uint64
	for !s.odd {
		if s.value() != '"' {
			s.odd = true
			return
		}
		name := s.text()
		s.want(':')
		if s.odd {
			return
		}
		n := member(name[1 : len(name)-1]) // one with an escape in it is none that is expected
		if n < 0 || seen&(1<<n) != 0 {
			s.odd = true
			return
		}
		seen |= 1 << n
		if s.take('}') {
			return
		}
		s.want(',')
	}
}

// list reads a list; item reads each of its values.
func (s *scan) list(item func()) {
	s.want('[')
	if s.take(']') {
		return
	}
	for !s.odd {
		item()
		if s.take(']') {
			return
		}
		s.want(',')
	}
}

// scalar reads a value that is neither an object nor a list, and returns it as it is written.
func (s *scan) scalar() []byte {
	c := s.value()
	start := s.at
	switch {
	case s.odd:
	case c == '"':
		return s.text()
	case c == '-' || '0' <= c && c <= '9':
		s.number()
	case c == 't':
		s.word("true")
	case c == 'f':
		s.word("false")
	case c == 'n':
		s.word("null")
	default:
		s.odd = true
	}
	return s.data[start:s.at]
}

// text reads a string, which comes next, and returns it with its quotes.
func (s *scan) text() []byte {
	start := s.at
	for i := start + 1; ; {
		i += plain(s.data[i:])
		if i < len(s.data) && s.data[i] == '"' {
			s.at = i + 1
			return s.data[start:s.at]
		}
		n := escape(s.data[i:])
		if n == 0 {
			s.odd = true
			return nil
		}
		i += n
	}
}

// plain is how many bytes data begins with that stand for themselves in a string. Most of an answer is text: eight are looked at together.
func plain(data []byte) int {
	const each, high = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(data); i += 8 {
		word := binary.LittleEndian.Uint64(data[i:])
		quote, slash := word^'"'*each, word^'\\'*each
		// The lowest of the high bits is set in the first byte that is a sign looked for, or a control character; those above it may be set in others.
		if found := ((word-' '*each)&^word | (quote-each)&^quote | (slash-each)&^slash) & high; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(data) && data[i] >= ' ' && data[i] != '"' && data[i] != '\\' {
		i++
	}
	return i
}

// escaped reports whether a name is not written as it reads: an escape, or what is no UTF-8.
func escaped(name []byte) bool { return bytes.IndexByte(name, '\\') >= 0 || !utf8.Valid(name) }

// escape is the length of the escape that data begins with, 0 where it is none.
func escape(data []byte) int {
	if len(data) < 2 || data[0] != '\\' {
		return 0
	}
	if data[1] != 'u' {
		if bytes.IndexByte([]byte(`"\/bfnrt`), data[1]) < 0 {
			return 0
		}
		return 2
	}
	if len(data) < 6 {
		return 0
	}
	for _, c := range data[2:6] {
		if (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'f') {
			return 0
		}
	}
	return 6
}

func (s *scan) number() {
	is := func(signs string) bool {
		if s.at >= len(s.data) || bytes.IndexByte([]byte(signs), s.data[s.at]) < 0 {
			return false
		}
		s.at++
		return true
	}
	digits := func() {
		from := s.at
		for s.at < len(s.data) && '0' <= s.data[s.at] && s.data[s.at] <= '9' {
			s.at++
		}
		s.odd = s.odd || s.at == from
	}
	is("-")
	if !is("0") {
		digits()
	}
	if is(".") {
		digits()
	}
	if is("eE") {
		is("+-")
		digits()
	}
}

// skip reads any value, and returns it as it is written.
func (s *scan) skip() []byte {
	c := s.value()
	start := s.at
	if s.depth++; s.depth > deepest {
		s.odd = true
	}
	switch c {
	case '{':
		s.want('{')
		for more := !s.take('}'); more && !s.odd; {
			if s.value() != '"' {
				s.odd = true
				break
			}
			s.text()
			s.want(':')
			s.skip()
			if more = !s.take('}'); more {
				s.want(',')
			}
		}
	case '[':
		s.list(func() { s.skip() })
	default:
		s.scalar()
	}
	s.depth--
	return s.data[start:s.at:s.at]
}

// decodeJSON fills v by a scan of data where that is possible, and by encoding/json where it is not. v is a fresh value.
func decodeJSON[T any](data []byte, v *T, fields func(*scan, *T)) error {
	s := scan{data: data}
	if fields(&s, v); !s.odd && s.value() == 0 && s.at == len(data) {
		return nil
	}
	var fresh T
	*v = fresh
	return json.Unmarshal(data, v)
}
