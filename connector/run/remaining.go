package run

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// remaining is what is left to do in a run.
type remaining struct {
	work    bool // a look is under way, or could begin now
	waiting bool // a publication waits for another try, and there is patience for it
	reports bool // a report is owed and may still be made
	hung    int  // calls of the adapter past their deadline
}

// workOff waits until nothing can be done any more: what is due is worked off, owed reports are
// made, and transient errors are tried again while there is patience. It waits for a slow shop as
// long as each call ends in time. Requests of other callers do not renew the patience.
func (r *Run) workOff(ctx context.Context) error {
	for {
		idle, acked := r.Worker.Idle().Raised(), r.Reports.Answered().Raised()
		shop, market := r.ShopSide.Changed(), r.MarketSide.Changed()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := r.Health.StoreError(); store.Hopeless(err) {
			return err
		}
		now := time.Now()
		left, err := r.left(ctx, now)
		if err != nil {
			return err
		}
		shopNow, marketNow := r.ShopSide.Status(now), r.MarketSide.Status(now)
		refused := shopNow.Open && shopNow.Refused
		switch {
		case r.Worker.Busy() > 0 && (refused || marketNow.Refused):
			// looks that were under way when a side refused are still to be settled
		case marketNow.Refused:
			return &marketplace.Error{Kind: marketplace.Unauthorized, Message: marketNow.Reason}
		case refused && !left.reports:
			return fmt.Errorf("%w: %s", errShopRefuses, shopNow.Reason)
		case refused, left.work, left.waiting, left.reports:
		case r.Sweeper.RemovalsWait():
			if err := r.Sweeper.JudgeRemovals(ctx); err != nil {
				return err
			}
			continue
		case left.hung > 0:
			return hungError(left.hung)
		default:
			return nil
		}
		breaker.Sleep(ctx, time.Second, idle, acked, shop, market)
	}
}

// left says what is left to do. Refreshes count only while there is patience: on a long list they
// take days, and a run from cron must not.
func (r *Run) left(ctx context.Context, now time.Time) (remaining, error) {
	var left remaining
	counts := store.AllClasses
	if now.Sub(r.patience.from) >= r.patience.span {
		counts = store.Timely
	}
	spent, over := r.patience.spent(r.Worker.Failing(), now), r.patience.from.Add(r.patience.span)
	hung := r.Worker.Hung(func(begun time.Time) time.Time {
		if spent && begun.After(over) {
			return over // calls that fail anyway get no time beyond the patience
		}
		return r.patience.callEnd(begun)
	}, now)
	blocking, err := r.countHung(ctx, hung)
	if err != nil {
		return left, err
	}
	left.hung = blocking
	due, _, err := r.Store.Due(ctx, store.DueQuery{
		Classes: r.Worker.Classes(now) & counts, To: store.At(now), Limit: 1,
		Skip: slices.Concat(r.Worker.RetryingIDs(), slices.Collect(maps.Keys(hung))),
	})
	if err != nil {
		return left, err
	}
	reports, err := r.Reports.Patient(ctx, r.patience.from, now, r.patience.span)
	if err != nil {
		return left, err
	}
	shop, market := r.ShopSide.Status(now), r.MarketSide.Status(now)
	disk := r.patience.bears(r.storeWait(), now)
	patient := r.patience.bears(shop, now) && r.patience.bears(market, now) && disk
	open := !shop.Open && !market.Open && r.Backlog.Ready(ctx)

	left.work = r.Worker.BusyWith(func(id string, class store.Class) bool {
		return counts.Has(class) && !r.Worker.Retries(id) && !hung[id]
	})
	// else a call that hangs is in every slot
	if len(due) > 0 && open && !spent && len(hung) < r.Worker.Slots() {
		left.work = true
	}
	if at, ok := r.Worker.LastToRetry(); ok && !spent {
		left.waiting = r.patience.lasts(at, now) && patient
	}
	if r.Worker.AwaitsPictures(now) && r.patience.lasts(r.patience.from, now) {
		left.waiting = left.waiting || patient
	}
	if len(due) > 0 && !open {
		left.waiting = left.waiting || patient
	}
	left.reports = reports && r.patience.bears(market, now) && disk
	return left, nil
}

// storeWait is the trouble with the store in the form of a side's, so that patience applies to it.
func (r *Run) storeWait() breaker.Status {
	since, err := r.Health.StoreTrouble()
	return breaker.Status{Open: err != nil, Since: since}
}

// countHung counts the calls that keep a run from its end. One that only asks for late pictures
// does not: the product is on sale.
func (r *Run) countHung(ctx context.Context, hung map[string]bool) (n int, err error) {
	for id := range hung {
		e, err := r.Store.Get(ctx, id)
		if err != nil {
			return n, err
		}
		if r := e.Record; r.Sale != store.OnSale || r.Pictures.LateAt == 0 || r.Problem.Kind != "" {
			n++
		}
	}
	return n, nil
}
