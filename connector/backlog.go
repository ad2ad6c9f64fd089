package connector

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/store"
)

// working reports whether a look is under way or could begin now.
func (x *executor) working(ctx context.Context) bool {
	if x.worker.Busy() > 0 {
		return true
	}
	now := time.Now()
	due, _, err := x.p.Store.Due(ctx, store.DueQuery{Classes: x.worker.Classes(now), To: store.At(now), Limit: 1})
	return err != nil || len(due) > 0
}

// Quiet reports whether no work on a publication is about to show whether the shop is back.
func (x *executor) Quiet(ctx context.Context) bool {
	return x.worker.Retrying() == 0 && !x.working(ctx)
}

// Ready reports whether looks and reports may be made. The store must be known to belong to the
// token's account, and the listings that the shop holds as ours must be in it. It must also be
// writable: else no result could be kept, and points would be spent in vain.
func (x *executor) Ready(ctx context.Context) bool {
	return x.takeover.Ready() && x.health.StoreWorks(ctx)
}
