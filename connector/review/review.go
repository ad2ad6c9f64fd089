package review

import (
	"context"
	"log/slog"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// metaReviewed is the digest of the settings under which all listings were last reviewed.
const metaReviewed = "reviewed"

// timeout bounds the review of one listing, which usually makes no request.
const timeout = time.Minute

// A reviewer returns the groups of a listing that the adapter would write differently now. It is
// the Review of a shopadapter.Reviewer.
type reviewer func(context.Context, shopadapter.Ref) (shopadapter.Fields, error)

// outdated is the ids of the listings that the adapter would write differently now. by is the
// digest of the adapter's settings: while it is that of the last complete review, there are none.
// It fails with a *health.ShopError where the shop cannot answer.
func outdated(ctx context.Context, s store.Reader, review reviewer, by string) (ids []string, err error) {
	last, err := s.Meta(ctx, metaReviewed)
	if err != nil || last == by {
		return nil, err
	}
	for r, err := range store.Records(ctx, s, store.Query{}) {
		if err != nil {
			return nil, err
		}
		if !publication.Reviewable(r) {
			continue
		}
		limited, cancel := context.WithTimeout(ctx, timeout)
		fields, err := review(limited, publication.RefOf(r, false))
		cancel()
		if err != nil {
			return nil, &health.ShopError{Op: health.ListShop, Err: err}
		}
		if fields != 0 {
			ids = append(ids, r.ID)
		}
	}
	return ids, nil
}

// A Review is the review of all listings by one worker.
type Review struct {
	Store store.Store
	Shop  func() shopadapter.Adapter
	Log   *slog.Logger
	Due   *breaker.Signal // raised when listings are due
}

// Run makes the listings due that changed settings of the adapter affect, once. After an error the
// next start, or the next single run, does it again.
func (v *Review) Run(ctx context.Context) {
	r, ok := v.Shop().(shopadapter.Reviewer)
	if !ok {
		return
	}
	by := r.ReviewedBy()
	ids, err := outdated(ctx, v.Store, r.Review, by)
	if err == nil && len(ids) > 0 {
		marks := make([]store.Mark, 0, len(ids))
		for _, id := range ids {
			marks = append(
				marks, store.Mark{ID: id, Class: store.ClassSweep, Cause: store.CauseRead, At: store.At(time.Now())},
			)
		}
		if err = v.Store.Mark(ctx, marks...); err == nil {
			v.Log.Info("settings of the shop have changed, listings follow", "listings", len(ids))
			v.Due.Raise()
		}
	}
	if last, failed := v.Store.Meta(ctx, metaReviewed); err == nil && failed == nil && last != by {
		err = v.Store.SetMeta(ctx, metaReviewed, by)
	}
	if err != nil && ctx.Err() == nil {
		v.Log.Warn("listings cannot be reviewed under the changed settings, the next start does it", "error", err)
	}
}
