package connector

import (
	"context"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

const (
	mostForgotten  = 1000 // publications that one pass forgets
	forgottenBatch = 100  // and one transaction
)

// forget forgets publications that have been withdrawn for as long as the settings say, as many as
// one pass may.
func (c *Connector) forget(ctx context.Context) {
	after := c.o.ForgetAfter
	if after <= 0 || c.counts(ctx)[store.StateWithdrawn] == 0 {
		return
	}
	var ids []string
	for r, err := range store.Records(ctx, c.o.Store, store.Query{States: []store.State{store.StateWithdrawn}}) {
		if err != nil {
			c.health.StoreFailed(err)
			return
		}
		if publication.Forgettable(r, after, time.Now()) {
			ids = append(ids, r.ID)
		}
	}
	forgotten := 0
	for batch := range slices.Chunk(ids, forgottenBatch) {
		n, err := store.Update(ctx, c.o.Store, func(owed *store.Report, s *store.Settlement) bool {
			return publication.Forget(s, owed, after, time.Now())
		}, batch...)
		if err != nil {
			c.health.StoreFailed(err)
			return
		}
		if forgotten += n; forgotten >= mostForgotten {
			break
		}
	}
	if forgotten > 0 {
		c.o.Logger.Info("forgot withdrawn publications", "publications", forgotten, "after", after)
	}
}

// keepForgetting forgets once an hour, or as often as publications may become forgettable, until
// ctx ends.
func (c *Connector) keepForgetting(ctx context.Context) {
	for ctx.Err() == nil && c.o.ForgetAfter > 0 {
		c.forget(ctx)
		breaker.Sleep(ctx, min(time.Hour, c.o.ForgetAfter))
	}
}
