package marketplace

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// longestText is what is kept of a text, in bytes: several times what any shop takes for a description.
const longestText = 256 << 10

// text reads any JSON scalar as the text that was sent: a string without its quotes, a number digit by digit, a boolean as true or false,
// null as nothing. What is longer than longestText is cut, at the end of a character.
type text string

func (t *text) UnmarshalJSON(data []byte) error {
	switch {
	case bytes.Equal(data, []byte("null")):
		*t = ""
		return nil
	case len(data) > 1 && data[0] == '"' && bytes.IndexByte(data, '\\') < 0 && utf8.Valid(data):
		*t = text(cut(data[1 : len(data)-1])) // nothing to be unquoted
		return nil
	case len(data) > 0 && data[0] == '"':
		s, ok := unquote(data)
		if !ok {
			if err := json.Unmarshal(data, &s); err != nil {
				return err
			}
		}
		if len(s) > longestText {
			s = strings.Clone(cut(s)) // so that the rest can be given up
		}
		*t = text(s)
		return nil
	default:
		*t = text(cut(data))
		return nil
	}
}

// unquote is a JSON string as encoding/json reads it, where that is easily told: markup is often sent with its signs escaped.
func unquote(data []byte) (s string, ok bool) {
	if len(data) < 2 || data[len(data)-1] != '"' || !utf8.Valid(data) {
		return "", false
	}
	var b strings.Builder
	b.Grow(len(data))
	for data = data[1 : len(data)-1]; ; {
		i := bytes.IndexByte(data, '\\')
		if i < 0 {
			b.Write(data)
			return b.String(), true
		}
		b.Write(data[:i])
		n := escape(data[i:])
		switch {
		case n == 2:
			b.WriteByte("\"\\/\b\f\n\r\t"[strings.IndexByte(`"\/bfnrt`, data[i+1])])
		case n == 6:
			r, err := strconv.ParseUint(string(data[i+2:i+n]), 16, 16)
			if err != nil || utf16.IsSurrogate(rune(r)) {
				return "", false
			}
			b.WriteRune(rune(r))
		default:
			return "", false
		}
		data = data[i+n:]
	}
}

// cut is the first longestText bytes of s, or a few less so that no character is broken.
func cut[T string | []byte](s T) T {
	if len(s) <= longestText {
		return s
	}
	end := longestText
	for end > longestText-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}

// quantity reads a number of units, sent as a number or as its text. Set is false for null and for what is no number. A fraction of a unit is
// none.
type quantity struct {
	value int
	set   bool
}

func (q *quantity) UnmarshalJSON(data []byte) error {
	*q = quantity{}
	var t scalar
	if err := t.UnmarshalJSON(data); err != nil {
		return err
	}
	s := strings.TrimSpace(string(t))
	if n, err := strconv.Atoi(s); err == nil {
		*q = quantity{value: n, set: true}
		return nil
	}
	if x, err := strconv.ParseFloat(s, 64); err == nil && math.Abs(x) < 1<<53 {
		*q = quantity{value: int(math.Floor(x)), set: true}
	}
	return nil
}

// pointer is nil for no number.
func (q quantity) pointer() *int {
	if !q.set {
		return nil
	}
	return &q.value
}

// points reads a number of points, sent as a number or as its text.
type points struct {
	value float64
	set   bool
}

func (p *points) UnmarshalJSON(data []byte) error {
	*p = points{}
	var t text
	if err := t.UnmarshalJSON(data); err != nil {
		return err
	}
	if x, err := strconv.ParseFloat(strings.TrimSpace(string(t)), 64); err == nil && !math.IsNaN(x) && !math.IsInf(x, 0) {
		*p = points{value: x, set: true}
	}
	return nil
}
