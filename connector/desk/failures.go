package desk

import (
	"context"
	"math"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

func (l *Local) Failures(ctx context.Context) (Failures, error) {
	now, err := l.snapshot(ctx)
	if err != nil {
		return Failures{Groups: []Failure{}}, err
	}
	all := now.failures()
	for i, f := range all.Groups {
		had, err := l.Store.Get(ctx, f.ID)
		if err != nil {
			return all, err
		}
		all.Groups[i].Title = had.Record.Title
	}
	return all, nil
}

func (l *Local) Recent(ctx context.Context) (Feed, error) {
	now, err := l.snapshot(ctx)
	if err != nil {
		return Feed{Events: []FeedEvent{}}, err
	}
	return Feed{Events: append([]FeedEvent{}, now.events...)}, nil
}

// RetrySome makes due now some publications, or those of a group. Each is tried as if it were named,
// and a group as by RetryFailed: what the group has lost meanwhile is passed over. All are all that are not held.
func (l *Local) RetrySome(ctx context.Context, c Chosen) (Asked, error) {
	ids, now, by := c.IDs, time.Now(), ActorOf(ctx).String()
	retry := func(owed *store.Report, w *store.Settlement) bool {
		publication.RemakeReport(w, owed)
		publication.Retry(w, store.ClassAsked, false, by, now)
		return true
	}
	switch {
	case c.All:
		all, err := l.ids(ctx, store.Key{})
		if err != nil {
			return Asked{}, err
		}
		ids = all
		retry = func(owed *store.Report, w *store.Settlement) bool {
			return publication.RetryTogether(w, owed, by, now)
		}
	case c.Group != nil:
		snapshot, err := l.snapshot(ctx)
		if err != nil {
			return Asked{}, err
		}
		ids, _ = snapshot.find(Query{State: c.Group.State, Cause: c.Group.Cause, Limit: math.MaxInt}, 0)
		retry = func(owed *store.Report, w *store.Settlement) bool {
			return publication.RetryFailed(w, owed, by, now)
		}
	}
	n, err := store.Update(ctx, l.Store, retry, ids...)
	return Asked{Count: n, Waits: l.tryShop(ctx)}, err
}
