package desk

import (
	"context"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// A Retry says which publications are made due now, whatever they wait for: exactly one of IDs, Group,
// Failed and All.
type Retry struct {
	// IDs are publications by their ids. They come before every publication that was not named.
	IDs   []string     `json:"ids,omitempty"`
	Reset bool         `json:"reset,omitempty"` // with IDs: what the merchant edited is the supplier's again
	Group *FailureName `json:"group,omitempty"` // those of a group of Failures
	// Failed are those that are rejected, blocked, pending or partial, and every report that the
	// marketplace refused.
	Failed bool `json:"failed,omitempty"`
	All    bool `json:"all,omitempty"` // that are not held
}

// Retry passes over what a group has lost meanwhile.
func (l *Local) Retry(ctx context.Context, r Retry) (a Asked, err error) {
	ways := 0
	for _, given := range []bool{len(r.IDs) > 0, r.Group != nil, r.Failed, r.All} {
		if given {
			ways++
		}
	}
	if ways != 1 || r.Reset && len(r.IDs) == 0 {
		return a, BadRequest("ids, a group, failed or all: one of them; reset goes with ids")
	}
	now, by := time.Now(), ActorOf(ctx)
	var ids []string
	retry := func(e *store.Entry) bool { return publication.RetryTogether(e, !r.All, by, now) }
	switch {
	case len(r.IDs) > 0:
		ids, a.Unknown, err = l.known(ctx, r.IDs)
		retry = func(e *store.Entry) bool {
			publication.Retry(e, store.ClassAsked, r.Reset, by, now)
			return true
		}
	case r.All:
		ids, err = idsOf(store.Records(ctx, l.Store, store.Query{}), idOf)
	default:
		ids, err = idsOf(l.troubled(ctx), func(e store.Entry) string {
			if g := r.Group; g != nil && *g != (FailureName{e.Record.State, causeOf(e)}) {
				return ""
			}
			return e.Record.ID
		})
	}
	if err != nil {
		return a, err
	}
	a.Count, err = l.Store.Change(ctx, ids, func(e *store.Entry) bool { return e.Known && retry(e) })
	l.failures.Forget()
	a.Waits = l.tryShop(ctx)
	return a, err
}

func (l *Local) known(ctx context.Context, ids []string) (known, unknown []string, err error) {
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		e, err := l.Store.Get(ctx, id)
		switch {
		case err != nil:
			return nil, nil, err
		case e.Known:
			known = append(known, id)
		default:
			unknown = append(unknown, id)
		}
	}
	return known, unknown, nil
}
