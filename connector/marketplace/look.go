package marketplace

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/pubsync/pubsync/connector/marketplace/internal/client"
	"github.com/pubsync/pubsync/connector/marketplace/internal/document"
	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
	"github.com/pubsync/pubsync/connector/marketplace/internal/wire"
	"github.com/pubsync/pubsync/shopadapter/pace"
)

// atOnce is how many looks, or reports, are under way together.
const atOnce = 4

// together calls do for each item, atOnce at a time, and for no further one after a failure. The
// error is that of the first failure. A panic of do is one of the caller.
func together[T any](items []T, do func(T) error) error {
	var g errgroup.Group
	var failed atomic.Bool
	var panicked atomic.Pointer[any]
	g.SetLimit(atOnce)
	for _, item := range items {
		g.Go(func() error {
			defer func() {
				if p := recover(); p != nil {
					failed.Store(true)
					panicked.Store(&p)
				}
			}()
			if failed.Load() {
				return nil
			}
			err := do(item)
			if err != nil {
				failed.Store(true)
			}
			return err
		})
	}
	err := g.Wait()
	if p := panicked.Load(); p != nil {
		panic(*p)
	}
	return err
}

// Look asks for the updatedAt of publications, each by itself, which costs some two points, and
// with detail also for status and productUrl. A nil entry means that the publication is gone. An
// entry with Err means that nothing is known of it now. After a request that failed as a whole the
// others are missing from the result, and the error says why.
func (r *Reader) Look(ctx context.Context, p Priority, ids []string, detail bool) (map[string]*Entry, error) {
	var mu sync.Mutex
	found := make(map[string]*Entry, len(ids))
	err := together(distinct(ids), func(id string) error {
		e, err := r.look(ctx, p, nil, id, detail)
		if err == nil {
			mu.Lock()
			defer mu.Unlock()
			found[id] = e
		}
		return err
	})
	return found, err
}

// look is one request of Look. It leaves of res what it does not need.
func (r *Reader) look(
	ctx context.Context, p Priority, res *pace.Reservation, id string, detail bool,
) (*Entry, error) {
	const op = "look at publication"
	answer, err := r.conn.RunBefore(ctx, p, res, func(f Forms) (client.Request, error) {
		return lookRequest(op, f, id, detail), nil
	})
	if err = ownDenial(err); IsObjection(err) {
		return &Entry{ID: id, Err: err}, nil
	}
	if err != nil {
		return nil, err
	}
	data, err := answer.Roots()
	if err != nil {
		return nil, fault.Unreadable(op, err)
	}
	value, complaint := r.rootField(op, data, 0, 1, answer.Complaints)
	var w wireEntry
	switch {
	case IsAbsent(complaint):
		return nil, nil //nolint:nilnil // as where it is null
	case complaint != nil:
		return &Entry{ID: id, Err: complaint}, nil //nolint:nilerr // it is this publication's
	case wire.IsNull(value):
		return nil, nil //nolint:nilnil // it is gone
	case json.Unmarshal(value, &w) != nil || w.UpdatedAt == "":
		return &Entry{ID: id, Err: fault.Unreadable(op, nil)}, nil //nolint:nilerr // as above
	}
	e := w.entry()
	e.ID = id
	return &e, nil
}

func lookRequest(op string, f Forms, id string, detail bool) client.Request {
	return client.Request{Op: op, Doc: lookDocument(f, detail), Vars: map[string]any{"id": id}, Partial: true}
}

func lookDocument(f Forms, detail bool) document.Document {
	selection := document.Scalars("updatedAt")
	if detail {
		selection = document.Scalars("updatedAt", "status", "productUrl")
	}
	return document.Document{
		Kind: document.Query, Name: "Look", Vars: []string{"$id:" + f.IDType + "!"},
		Body: []document.Field{document.Object("publication", "id:$id", selection...)},
	}
}

// alias is the name of the i-th of n root fields. One field alone has none, since some servers
// refuse aliases.
func alias(i, n int) string {
	if n == 1 {
		return ""
	}
	return "a" + strconv.Itoa(i)
}

// rootField is the value of the i-th of n root fields, or the error that the answer has for it. A
// complaint about the whole request counts for each field that is null.
func (r *Reader) rootField(
	op string, data map[string]json.RawMessage, i, n int, complaints []fault.Complaint,
) (json.RawMessage, error) {
	key := alias(i, n)
	if n == 1 {
		for key = range data {
			break
		}
	}
	value, there := data[key]
	for _, c := range complaints {
		if c.Alias() != key && (c.Alias() != "" && n > 1 || !wire.IsNull(value)) {
			continue
		}
		kind := fault.Judge(c, false).Kind()
		if kind == Unauthorized || kind == CursorRefused {
			kind = Transient // the token is good for the others
		}
		e := &Error{
			Op: op, Kind: kind, Status: 200,
			Detail: fault.Detail{
				Denied: fault.Judge(c, false) == fault.AsUnauthorized,
				Said:   fault.ObjectionOf([]fault.Complaint{c}, true),
			},
			Message: cmp.Or(r.conn.Clean(c.Message), "an error without a message"),
		}
		if e.Absent = c.Absent() && wire.IsNull(value) && (key == "" || c.Alias() == key); e.Absent {
			e.Kind = Refused
		}
		return nil, e
	}
	if !there {
		return nil, fault.Unreadable(op, fmt.Errorf("the answer has no %s", cmp.Or(key, "field")))
	}
	return value, nil
}

// distinct is ids without repetition, in order.
func distinct(ids []string) []string {
	seen := make(map[string]bool, len(ids))
	unique := make([]string, 0, len(ids))
	for _, id := range ids {
		if !seen[id] {
			seen[id] = true
			unique = append(unique, id)
		}
	}
	return unique
}
