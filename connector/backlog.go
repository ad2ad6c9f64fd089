package connector

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/store"
)

// working reports whether something is being worked on or could be now.
func (x *executor) working(ctx context.Context) bool {
	if x.worker.Busy() > 0 {
		return true
	}
	now := time.Now()
	due, _, err := x.p.Store.Due(ctx, store.DueQuery{Classes: x.worker.Classes(now), To: store.At(now), Limit: 1})
	return err != nil || len(due) > 0
}

// Quiet reports whether nothing is being sent to the shop that would show whether it is back.
func (x *executor) Quiet(ctx context.Context) bool {
	return x.worker.Retrying() == 0 && !x.working(ctx)
}

// Ready reports whether looks and reports may be made. The store must be known to belong to the
// token's account, and the listings that the shop holds as ours must be in it. While the store
// cannot be written no result could be kept, and points would be spent for nothing.
func (x *executor) Ready(ctx context.Context) bool {
	return x.takeover.Ready() && x.health.StoreWorks(ctx)
}
