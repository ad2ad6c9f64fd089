// Package forget forgets the publications that were withdrawn long ago.
package forget

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

const (
	most  = 1000 // publications that one pass forgets at most
	batch = 100  // publications of one transaction
)

// A Forgetter forgets publications that have been withdrawn for publication.ForgetAfter.
type Forgetter struct {
	Store  store.Store
	Health *health.Health
	Log    *slog.Logger
}

func (f *Forgetter) Pass(ctx context.Context) {
	if err := f.pass(ctx); err != nil {
		f.Health.StoreFailed(err)
	}
}

func (f *Forgetter) pass(ctx context.Context) error {
	now := time.Now()
	var ids []string
	longAgo := store.Query{Key: store.KeyState(store.StateWithdrawn), To: store.At(now.Add(-publication.ForgetAfter))}
	for r, err := range store.Records(ctx, f.Store, longAgo) {
		if err != nil {
			return err
		}
		ids = append(ids, r.ID)
	}
	forgotten := 0
	for some := range slices.Chunk(ids, batch) {
		n, err := f.Store.Change(ctx, some, func(e *store.Entry) bool { return e.Known && publication.Forgets(e, now) })
		if err != nil {
			return err
		}
		if forgotten += n; forgotten >= most {
			break
		}
	}
	if forgotten > 0 {
		f.Log.Info("forgot withdrawn publications", "publications", forgotten)
	}
	return nil
}

// Run makes a pass once an hour, until ctx ends.
func (f *Forgetter) Run(ctx context.Context) {
	for ctx.Err() == nil {
		f.Pass(ctx)
		breaker.Sleep(ctx, time.Hour)
	}
}
