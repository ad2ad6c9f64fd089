// Package rules makes publications due when the merchant's rules for them change.
package rules

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// Followed is the result of a change of the rules.
type Followed struct {
	publication.Revision
	Publications int // that are due because of it
}

// Follow compares the present rules with those in the store, and makes the publications due that
// they change. The new rules are stored once all marks are durable: after an interruption the next
// start does it again.
func Follow(ctx context.Context, s store.Store, now publication.Rulebook, at time.Time) (f Followed, err error) {
	var before publication.Rulebook
	known, err := store.MetaJSON(ctx, s, publication.MetaRules, &before)
	if err != nil || known && now.Same(before) {
		return f, err
	}
	f.Revision = now.Revise(before, known)
	for after, more := "", f.Any(); more; more = after != "" {
		records, next, err := s.List(ctx, store.Query{After: after})
		if err != nil {
			return f, err
		}
		ids := make([]string, len(records))
		for i, r := range records {
			ids[i] = r.ID
		}
		n, err := store.Update(ctx, s, func(_ *store.Report, w *store.Settlement) bool { return f.Apply(w, at) }, ids...)
		if err != nil {
			return f, err
		}
		f.Publications, after = f.Publications+n, next
	}
	if f.Publications > 0 {
		err = s.SetMeta(ctx, publication.MetaFollowed, strconv.Itoa(f.Publications))
	}
	return f, errors.Join(err, store.SetMetaJSON(ctx, s, publication.MetaRules, now))
}
