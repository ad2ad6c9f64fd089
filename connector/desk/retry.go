package desk

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// A Retry makes publications due now, whatever they wait for: exactly one of IDs, Failed and All.
type Retry struct {
	// IDs are publications by their ids. They come before every publication that was not named.
	IDs   []string `json:"ids,omitempty"`
	Reset bool     `json:"reset,omitempty"` // with IDs: what the merchant edited is the supplier's again
	// Failed are the rejected, blocked, pending and partial ones, and every refused report.
	Failed bool `json:"failed,omitempty"`
	All    bool `json:"all,omitempty"` // that are not held
}

func (l *Local) Retry(ctx context.Context, r Retry) (a Asked, err error) {
	named := len(r.IDs) > 0
	if named && (r.Failed || r.All) || !named && (r.Failed == r.All || r.Reset) {
		return a, BadRequest("ids, failed or all: one of them; reset goes with ids")
	}
	now, by := time.Now(), ActorOf(ctx)
	var ids []string
	retry := func(e *store.Entry) bool { return publication.RetryTogether(e, !r.All, by, now) }
	switch {
	case named:
		ids, a.Unknown, err = l.known(ctx, r.IDs)
		retry = func(e *store.Entry) bool {
			publication.Retry(e, store.ClassAsked, r.Reset, by, now)
			return true
		}
	case r.All:
		ids, err = idsOf(store.Records(ctx, l.Store, store.Query{}))
	default:
		if ids, err = l.in(ctx, publication.Failed()...); err == nil {
			for r, failed := range store.Reports(ctx, l.Store) {
				if err = failed; r.Refusals > 0 {
					ids = append(ids, r.ID)
				}
			}
		}
	}
	if err != nil {
		return a, err
	}
	a.Count, err = l.Store.Change(ctx, unique(ids), func(e *store.Entry) bool { return e.Known && retry(e) })
	a.Waits = l.tryShop(ctx)
	return a, err
}

func (l *Local) in(ctx context.Context, states ...store.State) (ids []string, err error) {
	for _, state := range states {
		some, err := idsOf(store.Records(ctx, l.Store, store.Query{Key: store.KeyState(state)}))
		if ids = append(ids, some...); err != nil {
			return nil, err
		}
	}
	return unique(ids), nil
}

func (l *Local) known(ctx context.Context, ids []string) (known, unknown []string, err error) {
	for _, id := range unique(slices.Clone(ids)) {
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

func idsOf(all iter.Seq2[store.Record, error]) (ids []string, err error) {
	for r, err := range all {
		if err != nil {
			return nil, err
		}
		ids = append(ids, r.ID)
	}
	return ids, nil
}

func unique(ids []string) []string {
	slices.Sort(ids)
	return slices.Compact(ids)
}
