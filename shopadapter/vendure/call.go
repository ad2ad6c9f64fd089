package vendure

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/exchange"
)

// call runs one document and decodes its data into out, which may be nil.
func (a *Adapter) call(ctx context.Context, document string, variables map[string]any, out any) error {
	return a.loggedIn(ctx, func(login credential) (*exchange.Exchange, error) {
		return a.send(ctx, login, document, variables, out)
	})
}

// loggedIn sends a request under the session. One that the shop no longer knows is replaced once.
func (a *Adapter) loggedIn(ctx context.Context, send func(credential) (*exchange.Exchange, error)) error {
	var stale credential
	for attempt := 0; ; attempt++ {
		login, err := a.credential(ctx, stale)
		if err != nil {
			return err
		}
		seen, err := send(login)
		if err == nil || attempt > 0 ||
			!hasCode(err, codeForbidden) && !hasCode(err, codeUnauthorized) && seen.Status != http.StatusUnauthorized {
			return err
		}
		stale = login
	}
}

func (a *Adapter) send(
	ctx context.Context,
	login credential,
	document string,
	variables map[string]any,
	out any,
) (*exchange.Exchange, error) {
	ctx, seen := exchange.Record(ctx, limitsOf(document))
	data, _, err := a.graph.WithRequestModifier(func(r *http.Request) {
		a.address(r)
		login.apply(r.Header)
	}).ExecRawWithExtensions(ctx, document, variables)
	if err := a.classify(ctx, seen, err); err != nil {
		return seen, err
	}
	return seen, decode(data, out)
}

func decode(data []byte, out any) error {
	if len(data) == 0 || string(data) == "null" {
		return shopadapter.Retry("the shop's answer holds no data")
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(data, out); err != nil {
		return shopadapter.Retry("the shop's answer has an unknown form: %w", err)
	}
	return nil
}

// maxRequest is what a request's JSON may measure, in bytes. Vendure's own limit is 102,400 unless
// the owner raised it, and it answers what is larger with an empty 500. The rest is for the
// document and the stamp.
const maxRequest = 90_000

// size is how long a value is in a request.
func size(value any) int {
	text, err := json.Marshal(value)
	if err != nil {
		return maxRequest + 1
	}
	return len(text)
}

// parts cuts a list into runs that each fit one request, with at most count values. A value that
// does not fit alone is in a run of its own.
func parts[T any](list []T, count int) [][]T {
	var runs [][]T
	start, length := 0, 0
	for i, value := range list {
		n := size(value) + 1
		if i > start && (length+n > maxRequest || i-start == count) {
			runs = append(runs, list[start:i])
			start, length = i, 0
		}
		length += n
	}
	if start < len(list) {
		runs = append(runs, list[start:])
	}
	return runs
}
