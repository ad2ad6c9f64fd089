package desk

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// A Retry says which publications are made due now: exactly one of IDs, Group, Failed and All.
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

// errRetry is for a Retry that says nothing, or two things.
var errRetry = errors.New("ids, a group, failed or all: one of them; reset goes with ids")

func (r Retry) check() error {
	ways := 0
	for _, given := range []bool{len(r.IDs) > 0, r.Group != nil, r.Failed, r.All} {
		if given {
			ways++
		}
	}
	if ways != 1 || r.Reset && len(r.IDs) == 0 {
		return errRetry
	}
	return nil
}

// Retry makes publications due now. What a group has lost meanwhile is passed over.
func (l *Local) Retry(ctx context.Context, r Retry) (a Asked, err error) {
	if err := r.check(); err != nil {
		return a, err
	}
	now, by := time.Now(), ActorOf(ctx).String()
	var ids []string
	retry := func(e *store.Entry) bool { return publication.RetryTogether(e, true, by, now) }
	switch {
	case len(r.IDs) > 0:
		if ids, a.Unknown, err = l.known(ctx, r.IDs); err != nil {
			return a, err
		}
		retry = func(e *store.Entry) bool {
			publication.Retry(e, store.ClassAsked, r.Reset, by, now)
			return true
		}
	case r.All:
		ids, err = idsOf(store.Records(ctx, l.Store, store.Query{}), every)
		retry = func(e *store.Entry) bool { return publication.RetryTogether(e, false, by, now) }
	case r.Failed:
		ids, err = idsOfEntries(l.troubled(ctx), func(store.Entry) bool { return true })
	default:
		ids, err = idsOfEntries(l.troubled(ctx), func(t store.Entry) bool {
			return t.Record.State == r.Group.State && causeOf(t.Record, refusalOf(t)) == r.Group.Cause
		})
	}
	if err != nil {
		return a, err
	}
	a.Count, err = l.Store.Change(ctx, ids, func(e *store.Entry) bool { return e.Known && retry(e) })
	l.failures.forget()
	a.Waits = l.tryShop(ctx)
	return a, err
}

// known parts ids by whether the store knows a publication of each.
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

func (l *Local) Sweep(ctx context.Context, full bool) (Asked, error) {
	if l.Worker == nil {
		return Asked{}, &Error{Exit: ExitUsage, Err: errors.New("no worker runs that would sweep: make a run")}
	}
	l.Worker.Sweep(ctx, full)
	return Asked{Waits: l.tryShop(ctx)}, nil
}
