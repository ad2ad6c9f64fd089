package wire

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// longestText is what is kept of a text, in bytes: several times what any shop takes for a
// description.
const longestText = 256 << 10

// Text reads any JSON scalar as the text that was sent: a string without its quotes, a number digit
// by digit, a boolean as true or false, null as nothing. What is longer than longestText is cut, at
// the end of a character.
type Text string

// UnmarshalJSON reads any value; an object or a list as the text that was sent.
func (t *Text) UnmarshalJSON(data []byte) error {
	switch {
	case bytes.Equal(data, []byte("null")):
		*t = ""
		return nil
	case len(data) > 0 && data[0] == '"':
		var s string
		if err := json.Unmarshal(data, &s); err != nil {
			return err
		}
		if len(s) > longestText {
			s = strings.Clone(Cut(s)) // so that the rest can be given up
		}
		*t = Text(s)
		return nil
	default:
		*t = Text(Cut(data))
		return nil
	}
}

// Cut is the first longestText bytes of s, or a few less so that no character is broken.
func Cut[T string | []byte](s T) T {
	if len(s) <= longestText {
		return s
	}
	end := longestText
	for end > longestText-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}

// Quantity reads a number of units, sent as a number or as its text. Set is false for null and for
// what is no number. A fraction of a unit is none.
type Quantity struct {
	Value int
	Set   bool
}

// UnmarshalJSON fails for an object or a list alone.
func (q *Quantity) UnmarshalJSON(data []byte) error {
	*q = Quantity{}
	var t Scalar
	if err := t.UnmarshalJSON(data); err != nil {
		return err
	}
	s := strings.TrimSpace(string(t))
	if n, err := strconv.Atoi(s); err == nil {
		*q = Quantity{Value: n, Set: true}
		return nil
	}
	if x, err := strconv.ParseFloat(s, 64); err == nil && math.Abs(x) < 1<<53 {
		*q = Quantity{Value: int(math.Floor(x)), Set: true}
	}
	return nil
}

// Pointer is nil for no number.
func (q Quantity) Pointer() *int {
	if !q.Set {
		return nil
	}
	return &q.Value
}

// Points reads a number of points, sent as a number or as its text.
type Points struct {
	Value float64
	Set   bool
}

// UnmarshalJSON never fails: what is no number is not set.
func (p *Points) UnmarshalJSON(data []byte) error {
	*p = Points{}
	var t Text
	if err := t.UnmarshalJSON(data); err != nil {
		return err
	}
	if x, err := strconv.ParseFloat(strings.TrimSpace(string(t)), 64); err == nil && !math.IsNaN(x) &&
		!math.IsInf(x, 0) {
		*p = Points{Value: x, Set: true}
	}
	return nil
}

// OrNull is raw, or null in place of nothing.
func OrNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}

// IsNull reports whether raw is null, or nothing.
func IsNull(raw []byte) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) == 0 || bytes.Equal(raw, []byte("null"))
}
