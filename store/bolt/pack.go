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
	kindMoment             // text that is a time in UTC, to the second or to the millisecond: 2026-11-01T08:00:00.000Z
)

const (
	formatSeconds = "2006-01-02T15:04:05Z"
	formatMillis  = "2006-01-02T15:04:05.000Z"
)

// pack is text as a number, where the number gives the very same text back: prices, the shop's ids and times are a good part of a record, and three
// bytes instead of seven. ok is false for all other text.
func pack(text string) (kind byte, n int64, ok bool) {
	switch size := len(text); {
	case size == 0 || size > len(formatMillis) || text[size-1] != 'Z' && (text[size-1] < '0' || text[size-1] > '9'):
		return 0, 0, false
	case text[size-1] == 'Z':
		kind = kindMoment
		t, err := time.Parse(formatSeconds, text) // takes a fraction too
		if err != nil {
			return 0, 0, false
		}
		n = t.UnixMilli() << 1
		if size == len(formatMillis) {
			n |= 1
		}
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

// unpack is the text that pack made a number of.
func unpack(kind byte, n int64) string {
	switch kind {
	case kindMoment:
		if n&1 == 0 {
			return time.UnixMilli(n >> 1).UTC().Format(formatSeconds)
		}
		return time.UnixMilli(n >> 1).UTC().Format(formatMillis)
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
