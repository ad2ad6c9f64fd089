package worker

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// reprice makes a publication's prices and stock by the rules of now, of what its record keeps of
// the supplier's figures: no request is made. Where that does not do it is left to a reading.
func (w *Worker) reprice(ctx context.Context, m store.Mark) {
	defer w.recovered(ctx, m)
	e, err := w.store.Get(ctx, m.ID)
	if err != nil {
		w.health.StoreFailed(err)
		return
	}
	now, after := time.Now(), toReread
	d, ok := w.decider.Reprice(e.Record, m, now)
	if ok && (d.Step == publication.Settle || shopadapter.RestockerOf(ctx, w.shop()) != nil) {
		d, after = w.carryOut(ctx, m, d, now)
	}
	switch now = time.Now(); after {
	case toSettle:
		w.settle(ctx, m, d, now)
	case toReread:
		w.write(ctx, m, e.Record, w.decider.ReadLater(e.Record, m, now), now)
	}
}
