package bolt

import (
	"strconv"
	"time"
)

// The kinds of a field: how the bytes after its tag are to be read.
const (
	kindInt    byte = iota // a number, or text that is one: 1995
	kindBytes              // a length and as many bytes
	kindCents              // text that is a number with two places: 19.95
	kindMoment             // text that is a time in UTC, to the second, the millisecond or the microsecond: 2026-11-01T08:00:00.000Z
)

const (
	formatSeconds = "2006-01-02T15:04:05Z"
	formatMillis  = "2006-01-02T15:04:05.000Z"
	formatMicros  = "2006-01-02T15:04:05.000000Z"
)

// pack is text as a number, where the number gives the very same text back: prices, the shop's ids and times are a good part of a record, and three
// bytes instead of seven. ok is false for all other text.
func pack(text string) (kind byte, n int64, ok bool) {
	if !isFigure(text) {
		return 0, 0, false
	}
	switch size := len(text); {
	case text[size-1] == 'Z':
		kind = kindMoment
		t, err := time.Parse(formatSeconds, text) // takes a fraction too
		if err != nil {
			return 0, 0, false
		}
		n = packMoment(t, size)
	case size > 3 && text[size-3] == '.':
		kind = kindCents
		whole, err := strconv.ParseInt(text[:size-3]+text[size-2:], 10, 64)
		if err != nil {
			return 0, 0, false
		}
		n = whole
	default:
		kind = kindInt
		whole, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return 0, 0, false
		}
		n = whole
	}
	return kind, n, unpack(kind, n) == text
}

// isFigure reports whether text may be a number, going by its length and its letters: most text is seen not to be one without being parsed.
func isFigure(text string) bool {
	if text == "" || len(text) > len(formatMicros) {
		return false
	}
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9', c == '-', c == '.', c == ':', c == 'T' && i > 0:
		case c == 'Z' && i > 0 && i == len(text)-1:
		default:
			return false
		}
	}
	return true
}

// unpack is the text that pack made a number of.
func unpack(kind byte, n int64) string {
	switch kind {
	case kindMoment:
		return unpackMoment(n)
	case kindCents:
		sign := ""
		if n < 0 {
			sign, n = "-", -n
		}
		digits := strconv.FormatInt(n, 10)
		for len(digits) < 3 {
			digits = "0" + digits
		}
		return sign + digits[:len(digits)-2] + "." + digits[len(digits)-2:]
	default:
		return strconv.FormatInt(n, 10)
	}
}

// packMoment is a time as a number, by the length of its text. Twice the milliseconds are a time to the second, and one more a time to the millisecond.
// Whole seconds leave 999 of 1000 even numbers free: those are the microseconds.
func packMoment(t time.Time, size int) int64 {
	switch size {
	case len(formatMillis):
		return t.UnixMilli()<<1 | 1
	case len(formatMicros):
		micros := t.UnixMicro()
		return (micros/999*1000 + micros%999 + 1) << 1
	}
	return t.UnixMilli() << 1
}

// unpackMoment is the text that packMoment made a number of.
func unpackMoment(n int64) string {
	half := n >> 1
	switch {
	case n&1 == 1:
		return formatMoment(time.UnixMilli(half), formatMillis)
	case half%1000 == 0:
		return formatMoment(time.UnixMilli(half), formatSeconds)
	}
	return formatMoment(time.UnixMicro(half/1000*999+half%1000-1), formatMicros)
}

// formatMoment is t.UTC().Format of one of the formats above, in a third of the time: a record holds half a dozen moments, and is read five times an import.
func formatMoment(t time.Time, format string) string {
	t = t.UTC()
	year, month, day := t.Date()
	if year < 0 || year > 9999 {
		return t.Format(format)
	}
	hour, minute, second := t.Clock()
	text := []byte(formatMicros)[:len(format)]
	digits := func(end, n int) {
		for ; n > 0; n /= 10 {
			end--
			text[end] = byte('0' + n%10) //nolint:gosec // a digit
		}
	}
	copy(text, "0000-00-00T00:00:00.000000")
	digits(4, year)
	digits(7, int(month))
	digits(10, day)
	digits(13, hour)
	digits(16, minute)
	digits(19, second)
	switch format {
	case formatMillis:
		digits(23, t.Nanosecond()/1e6)
	case formatMicros:
		digits(26, t.Nanosecond()/1e3)
	}
	text[len(text)-1] = 'Z'
	return string(text)
}
