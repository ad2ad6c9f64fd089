package desk

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

func (l *Local) Retry(ctx context.Context, id string, reset bool) (Asked, error) {
	now, by := time.Now(), ActorOf(ctx).String()
	n, err := store.Update(ctx, l.Store, func(owed *store.Report, w *store.Settlement) bool {
		publication.RemakeReport(w, owed)
		publication.Retry(w, store.ClassAsked, reset, by, now)
		return true
	}, id)
	return Asked{Count: n, Waits: l.tryShop(ctx)}, known(n, err)
}

// RetryFailed makes due now what failed, and every report that the marketplace refused.
func (l *Local) RetryFailed(ctx context.Context) (Asked, error) {
	var failed []store.Key
	for _, state := range publication.Failed() {
		failed = append(failed, store.KeyState(state))
	}
	ids, err := l.ids(ctx, failed...)
	if err != nil {
		return Asked{}, err
	}
	for o, err := range store.Reports(ctx, l.Store, store.OwedRefused) {
		if err != nil {
			return Asked{}, err
		}
		ids = append(ids, o.ID)
	}
	slices.Sort(ids)
	now, by := time.Now(), ActorOf(ctx).String()
	n, err := store.Update(ctx, l.Store, func(owed *store.Report, w *store.Settlement) bool {
		return publication.RetryFailed(w, owed, by, now)
	}, slices.Compact(ids)...)
	return Asked{Count: n, Waits: l.tryShop(ctx)}, err
}

func (l *Local) Sweep(ctx context.Context, full bool) (Asked, error) {
	if l.Worker == nil {
		return Asked{}, &Error{Exit: ExitUsage, Err: errors.New("no worker runs that would sweep: make a run")}
	}
	l.Worker.Sweep(ctx, full)
	return Asked{Waits: l.tryShop(ctx)}, nil
}

// known is ErrUnknown where a publication named by its id was not found.
func known(n int, err error) error {
	if err == nil && n == 0 {
		return ErrUnknown
	}
	return err
}

// ids is the ids of the publications that have one of some keys, each once and in their order.
func (l *Local) ids(ctx context.Context, keys ...store.Key) (ids []string, err error) {
	for _, key := range keys {
		for r, err := range store.Records(ctx, l.Store, store.Query{Key: key}) {
			if err != nil {
				return nil, err
			}
			ids = append(ids, r.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}
