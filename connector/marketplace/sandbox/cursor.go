package sandbox

import (
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
)

var errCursor = errors.New("Invalid cursor") //nolint:staticcheck // the words of the answer, not of a log

// A cursor is a position in a list: after the entry that it was made for, wherever that is now. Its
// fields depend on the order of the list.
type cursor struct {
	order      order
	generation uint64 // cursors of an earlier one are refused
	at         int64  // of a list by updatedAt, in microseconds since 1970; else zero
	id         string // of the entry, or its number in a list that has no other order
}

type order byte

// The orders of lists, as letters within a cursor.
const (
	byID      order = 'i'
	byTime    order = 'u'
	byVariant order = 'v' // product variants by updatedAt
	byNumber  order = 'n' // in the order of creation or position
)

// encode is the cursor as a client sees it: opaque letters.
func (c cursor) encode() string {
	plain := string(c.order) + strconv.FormatUint(c.generation, 36) + "." + strconv.FormatInt(c.at, 36) + "." + c.id
	return base64.RawURLEncoding.EncodeToString([]byte(plain))
}

// decodeCursor reads what encode wrote, and nothing else.
func decodeCursor(s string) (cursor, error) {
	plain, err := base64.RawURLEncoding.Strict().DecodeString(s)
	if err != nil || len(plain) == 0 {
		return cursor{}, errCursor
	}
	generation, rest, ok := strings.Cut(string(plain[1:]), ".")
	at, id, ok2 := strings.Cut(rest, ".")
	if !ok || !ok2 {
		return cursor{}, errCursor
	}
	c := cursor{order: order(plain[0]), id: id}
	if c.generation, err = strconv.ParseUint(generation, 36, 64); err != nil {
		return cursor{}, errCursor
	}
	if c.at, err = strconv.ParseInt(at, 36, 64); err != nil {
		return cursor{}, errCursor
	}
	switch c.order {
	case byID, byTime, byVariant, byNumber:
	default:
		return cursor{}, errCursor
	}
	if c.encode() != s { // another spelling of the same position was not made here
		return cursor{}, errCursor
	}
	return c, nil
}

// number is the cursor's position in a list without another order.
func (c cursor) number() (int, error) {
	n, err := strconv.Atoi(c.id)
	if err != nil || n < 0 || strconv.Itoa(n) != c.id {
		return 0, errCursor
	}
	return n, nil
}
