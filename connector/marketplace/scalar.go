package marketplace

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

// text reads any JSON scalar as the text that was sent: a string without its quotes, a number digit
// by digit, a boolean as true or false, null as nothing. What is longer than longestText is cut, at
// the end of a character.
type text string

func (t *text) UnmarshalJSON(data []byte) error {
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
			s = strings.Clone(cut(s)) // so that the rest can be given up
		}
		*t = text(s)
		return nil
	default:
		*t = text(cut(data))
		return nil
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

// quantity reads a number of units, sent as a number or as its text. Set is false for null and for
// what is no number. A fraction of a unit is none.
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
	if x, err := strconv.ParseFloat(strings.TrimSpace(string(t)), 64); err == nil && !math.IsNaN(x) &&
		!math.IsInf(x, 0) {
		*p = points{value: x, set: true}
	}
	return nil
}
