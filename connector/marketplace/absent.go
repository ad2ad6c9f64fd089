package marketplace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace/internal/client"
	"github.com/pubsync/pubsync/connector/marketplace/internal/wire"
)

// A server may say that a publication does not exist by null, or by an error at that field. Both
// mean absence, and each answer is judged by itself.

// IsAbsent reports whether err is a server's word that a publication does not exist.
func IsAbsent(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Absent
}

// TryGone asks for a publication that does not exist, by an id that is made like a real one. It
// returns what the server says in words, and whether that counts as absence. said is "" where such
// a publication exists by chance.
func (r *Reader) TryGone(ctx context.Context, like string) (said string, absent bool) {
	const op = "look at a publication that does not exist"
	id := unlike(like)
	answer, err := r.conn.Run(ctx, Urgent, nil, func(f Forms) (client.Request, error) {
		return lookRequest(op, f, id, false), nil
	})
	var data map[string]json.RawMessage
	if err == nil {
		data, err = answer.Roots()
	}
	var value json.RawMessage
	if err == nil {
		value, err = r.rootField(op, data, 0, 1, answer.Complaints)
	}
	e, _ := errors.AsType[*Error](err)
	switch {
	case e != nil:
		return fmt.Sprintf("an error, %q", e.Message), e.Absent
	case err != nil:
		return "no GraphQL", false
	case wire.IsNull(value):
		return "null", true
	default:
		return "", false
	}
}

// unlike is an id of the same form as another: each digit is the next one, or each letter where it
// has no digits.
func unlike(id string) string {
	turn := func(from, to rune) string {
		return strings.Map(func(c rune) rune {
			switch {
			case c == to:
				return from
			case c >= from && c < to:
				return c + 1
			default:
				return c
			}
		}, id)
	}
	if other := turn('0', '9'); other != id {
		return other
	}
	id = turn('a', 'z')
	return turn('A', 'Z')
}
