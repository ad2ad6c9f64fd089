package connector

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/store"
)

// counts is the number of publications in each state, none where the store cannot be read.
func (c *Connector) counts(ctx context.Context) map[store.State]int {
	counts, err := c.o.Store.Counts(ctx)
	if err != nil {
		c.health.StoreFailed(err)
	}
	return counts
}

// working reports whether something is being worked on or could be now.
func (c *Connector) working(ctx context.Context) bool {
	if c.worker.Busy() > 0 {
		return true
	}
	now := time.Now()
	due, _, err := c.o.Store.Due(ctx, store.DueQuery{Classes: c.worker.Classes(now), To: store.At(now), Limit: 1})
	return err != nil || len(due) > 0
}

// ready reports whether looks and reports may be made. The store must be known to belong to the
// token's account, and the listings that the shop holds as ours must be in it. While the store
// cannot be written no result could be kept, and points would be spent for nothing.
func (c *Connector) ready(ctx context.Context) bool {
	return c.takeover.Ready() && c.health.StoreWorks(ctx)
}
