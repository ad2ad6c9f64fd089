package marketplace

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/pubsync/pubsync/connector/marketplace/internal/client"
	"github.com/pubsync/pubsync/connector/marketplace/internal/document"
	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
	"github.com/pubsync/pubsync/connector/marketplace/internal/wire"
	"github.com/pubsync/pubsync/shopadapter/pace"
)

// mostLooks bounds the publications that one request looks at.
const mostLooks = 50

// Look asks for the updatedAt of publications, which costs some two points each, and with detail
// also for status and productUrl. A nil entry means that the publication is gone. An entry with Err
// means that nothing is known of it now. When a request fails as a whole, its publications are
// missing from the result, and the error says why.
func (r *Reader) Look(ctx context.Context, p Priority, ids []string, detail bool) (map[string]*Entry, error) {
	ids = distinct(ids)
	found := make(map[string]*Entry, len(ids))
	for len(ids) > 0 {
		forms, err := r.conn.Known(ctx)
		if err != nil {
			return found, err
		}
		n := r.conn.Costs.Fit(
			r.conn.Plan(), r.several.most(min(len(ids), mostLooks)),
			func(n int) document.Document { return lookDocument(forms, n, detail) },
		)
		err = r.look(ctx, p, nil, ids[:n], detail, found, new(narrowing))
		if isSeveral(err) {
			ids = slices.DeleteFunc(ids, func(id string) bool { _, ok := found[id]; return ok })
			continue // fewer at a time
		}
		if err != nil {
			return found, err
		}
		ids = ids[n:]
	}
	return found, nil
}

// narrowing counts the requests that search for the refused part of a batch. They are bounded:
// finding one bad part needs fewer, and where everything is refused there is no such part.
type narrowing int

const mostNarrowing = 16

func (n *narrowing) goesOn() bool {
	*n += 2
	return *n <= mostNarrowing
}

// look is one request of Look. After a refusal that may be about one id alone it asks for each
// half, so that no id keeps the others from being seen.
func (r *Reader) look(
	ctx context.Context, p Priority, res *pace.Reservation, ids []string, detail bool, found map[string]*Entry,
	n *narrowing,
) error {
	const op = "look at publications"
	if r.several.most(len(ids)) < len(ids) {
		if res != nil {
			res.Return()
		}
		return tooMany(op, r.Bound())
	}
	answer, err := r.conn.Run(ctx, p, res, func(f Forms) (client.Request, error) {
		vars := make(map[string]any, len(ids))
		for i, id := range ids {
			vars["id"+strconv.Itoa(i)] = id
		}
		return client.Request{
			Op:      op,
			Doc:     lookDocument(f, len(ids), detail),
			Vars:    vars,
			Several: len(ids),
			Partial: true,
		}, nil
	})
	if isSeveral(err) {
		r.refuseSeveral(ctx, len(ids), err)
		return err
	}
	if e, ok := errors.AsType[*Error](err); ok && (e.Kind == Invalid || e.Odd) {
		if len(ids) == 1 {
			found[ids[0]] = &Entry{ID: ids[0], Err: err}
			return nil
		}
		if !n.goesOn() {
			return err
		}
		half := len(ids) / 2
		for _, part := range [][]string{ids[:half], ids[half:]} {
			if err := r.look(ctx, p, nil, part, detail, found, n); err != nil {
				return err
			}
		}
		if len(ids) == 2 && isKnown(found[ids[0]]) && isKnown(found[ids[1]]) {
			r.refuseSeveral(ctx, len(ids), err) // it is none of the two
		}
		return nil
	}
	if err != nil {
		return err
	}
	data, err := answer.Roots()
	if err != nil {
		return fault.Unreadable(op, err)
	}
	var unseen []string // of an answer without data, since one of them is gone
	for i, id := range ids {
		value, complaint := r.rootField(op, data, i, len(ids), answer.Complaints)
		var w wireEntry
		switch {
		case IsAbsent(complaint):
			found[id] = nil
		case data == nil:
			unseen = append(unseen, id)
		case complaint != nil:
			found[id] = &Entry{ID: id, Err: complaint}
		case wire.IsNull(value):
			found[id] = nil
		case json.Unmarshal(value, &w) != nil || w.UpdatedAt == "":
			found[id] = &Entry{ID: id, Err: fault.Unreadable(op, nil)}
		default:
			e := w.entry()
			e.ID = id
			found[id] = &e
		}
	}
	return r.lookAtUnseen(ctx, p, unseen, detail, found, n)
}

// lookAtUnseen looks at the publications of which an answer said nothing, since others do not
// exist: together at first, and then each by itself.
func (r *Reader) lookAtUnseen(
	ctx context.Context, p Priority, unseen []string, detail bool, found map[string]*Entry, n *narrowing,
) error {
	size := len(unseen)
	if *n > 0 {
		size = 1
	}
	*n = max(*n, 1)
	for part := range slices.Chunk(unseen, max(size, 1)) {
		if err := r.look(ctx, p, nil, part, detail, found, n); err != nil {
			return err
		}
	}
	return nil
}

func lookDocument(f Forms, n int, detail bool) document.Document {
	d := document.Document{Kind: "query", Name: "Look"}
	selection := document.Scalars("updatedAt")
	if detail {
		selection = document.Scalars("updatedAt", "status", "productUrl")
	}
	for i := range n {
		v := "$id" + strconv.Itoa(i)
		d.Vars = append(d.Vars, v+":"+f.IDType+"!")
		look := document.Object("publication", "id:"+v, selection...)
		look.Alias = alias(i, n)
		d.Body = append(d.Body, look)
	}
	return d
}

// isKnown reports whether a look has shown a publication, or that it is gone.
func isKnown(e *Entry) bool { return e == nil || e.Err == nil }

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
