package marketplace

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// A server may say that there is no publication of an id by null, or by an error on that very
// field. Both are absence, and each answer is judged by itself.

// absent reports whether c says that the publication its path names does not exist, and nothing
// else.
func (c complaint) absent() bool {
	if len(c.path) != 1 || c.alias() == "" {
		return false
	}
	switch judge(c, false) {
	case isInvalid, isUnknown: // as "does not exist" and "not found" are judged anywhere else
		return saysAbsent(c.message, c.code)
	default:
		return false
	}
}

// saysAbsent reports whether a message or its code says that something does not exist. What names
// another thing before the publication says it of that.
func saysAbsent(message, code string) bool {
	first := func(s string, words ...string) int {
		at := len(s)
		for _, w := range words {
			if i := strings.Index(s, w); i >= 0 {
				at = min(at, i)
			}
		}
		return at
	}
	m := strings.ToLower(message)
	other := first(
		m,
		"listing",
		"translation",
		"categor",
		"variant",
		"image",
		"shipping",
		"product",
		"price",
		"supplier",
		"account",
		"channel",
		"user",
		"retailer",
		"token",
		"field",
		"route",
		"page",
		"file",
		"host",
		"server",
		"service",
		"shard",
		"database",
	)
	switch {
	case other < first(m, "publication", "record", "resource", "entry", "entity", "object", "node", "item"):
		return false
	case code == "404", first(code, "NOT_FOUND", "NOTFOUND", "NOT_EXIST") < len(code):
		return true
	case first(code, "VALIDATION", "PARSE") < len(code): // the document is meant
		return false
	}
	return first(
		m,
		"not found",
		"not be found",
		"not exist",
		"n't exist",
		"no longer exist",
		"n't find",
		"not find",
		"n't be found",
		"cannot be found",
		"no such",
		"no publication",
		"unknown publication",
	) < len(
		m,
	)
}

// IsAbsent reports whether err is a server's word that a publication does not exist.
func IsAbsent(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.absent
}

// onlyAbsent reports whether an answer says no more than that publications do not exist: each
// complaint is about a root field of the request, which is null or missing.
func (q request) onlyAbsent(status int, data json.RawMessage, complaints []complaint) bool {
	if !q.partial && !q.alone || status >= 300 && status != http.StatusNotFound || len(complaints) == 0 {
		return false
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(orNull(data), &fields) != nil {
		return false
	}
	for _, c := range complaints {
		asked := slices.ContainsFunc(q.doc.body, func(f field) bool { return cmp.Or(f.alias, f.name) == c.alias() })
		if !asked || !c.absent() || !isNull(fields[c.alias()]) {
			return false
		}
	}
	return true
}

// TryGone asks for a publication that does not exist, by an id that is made like a real one. It
// returns what the server says of it in words, "" where there is one by chance, and whether that is
// taken as absence.
func (r *Reader) TryGone(ctx context.Context, like string) (said string, absent bool) {
	const op = "look at a publication that does not exist"
	answer, err := r.run(ctx, Urgent, nil, func(f Forms) (request, error) {
		return request{
			op:      op,
			doc:     lookDocument(f, 1, false),
			vars:    map[string]any{"id0": unlike(like)},
			several: 1,
			partial: true,
		}, nil
	})
	var data map[string]json.RawMessage
	if err == nil {
		data, err = answer.roots()
	}
	var value json.RawMessage
	if err == nil {
		value, err = r.rootField(op, data, 0, 1, answer.complaints)
	}
	e, _ := errors.AsType[*Error](err)
	switch {
	case e != nil:
		return fmt.Sprintf("an error, %q", e.Message), e.absent
	case err != nil:
		return "no GraphQL", false
	case isNull(value):
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
