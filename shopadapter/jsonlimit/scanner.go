package jsonlimit

import "bytes"

// A scanner counts elements and depth in a text that comes in pieces.
type scanner struct {
	limits   Limits
	elements int
	depth    int

	begun   bool // the first character has been seen
	other   bool // it was neither { nor [: nothing is counted
	text    bool // inside a string
	escaped bool // behind a backslash
}

// What a byte outside a string is to the scanner.
const (
	plain byte = iota
	opens
	closes
	comma
	quote
)

// kinds is the table of them.
var kinds = [256]byte{'{': opens, '[': opens, '}': closes, ']': closes, ',': comma, '"': quote}

// scan takes in the next piece. A result other than nil is final.
func (s *scanner) scan(data []byte) *Error {
	if !s.begun {
		data = s.begin(data)
	}
	if s.other {
		return nil
	}
	for i := 0; i < len(data); i++ {
		if s.text {
			n := s.skip(data[i:])
			if i += n; i == len(data) {
				return nil
			}
			continue // at the closing quotation mark
		}
		switch kinds[data[i]] {
		case quote:
			s.text = true
		case comma:
			s.elements++
			if s.limits.Elements > 0 && s.elements > s.limits.Elements {
				return &Error{Limit: "elements", Most: int64(s.limits.Elements)}
			}
		case opens:
			s.elements++
			s.depth++
			if s.limits.Elements > 0 && s.elements > s.limits.Elements {
				return &Error{Limit: "elements", Most: int64(s.limits.Elements)}
			}
			if s.limits.Depth > 0 && s.depth > s.limits.Depth {
				return &Error{Limit: "depth", Most: int64(s.limits.Depth)}
			}
		case closes:
			s.depth--
		}
	}
	return nil
}

// begin skips the white space that may stand before JSON and looks at the first character.
func (s *scanner) begin(data []byte) []byte {
	data = bytes.TrimLeft(data, " \t\r\n")
	if len(data) > 0 {
		s.begun, s.other = true, data[0] != '{' && data[0] != '['
	}
	return data
}

// skip is the place in data of the quotation mark that ends the string, len(data) when the string
// goes on.
func (s *scanner) skip(data []byte) int {
	i := 0
	if s.escaped && len(data) > 0 {
		s.escaped, i = false, 1
	}
	for i < len(data) {
		end := bytes.IndexByte(data[i:], '"')
		piece := data[i:]
		if end >= 0 {
			piece = piece[:end]
		}
		slashes := 0
		for slashes < len(piece) && piece[len(piece)-1-slashes] == '\\' {
			slashes++
		}
		escaped := slashes%2 == 1
		switch {
		case end < 0:
			s.escaped = escaped
			return len(data)
		case !escaped:
			s.text = false
			return i + end
		}
		i += end + 1
	}
	return len(data)
}
