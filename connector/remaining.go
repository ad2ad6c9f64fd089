package connector

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
	work    bool // something is being worked on, or could be now: there is no giving up
	waiting bool // something waits for another try, and there is patience for it
	reports bool // a report is owed and may still be made
	hung    int  // calls of the adapter for which there is no patience left
}

// workOff waits until nothing can be done any more: what is due is worked off, owed reports are
// made, and what met a transient error is tried again for as long as there is patience. A slow shop
// is waited for while each call comes to an end. Requests of other callers do not renew the
// patience.
func (r *run) workOff(ctx context.Context) error {
	for {
		idle, acked, shop, market := r.c.worker.Idle().
			Raised(),
			r.c.reporter.Answered().
				Raised(),
			r.c.shop.breaker.Changed(), r.c.market.breaker.Changed()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := r.c.health.StoreError(); store.Hopeless(err) {
			return err
		}
		now := time.Now()
		left, err := r.left(ctx, now)
		if err != nil {
			return err
		}
		shopNow, marketNow := r.c.shop.breaker.Status(now), r.c.market.breaker.Status(now)
		refused := shopNow.Open && shopNow.Refused
		switch {
		case r.c.worker.Busy() > 0 && (refused || marketNow.Refused):
			// what was under way when a side refused has yet to settle
		case marketNow.Refused:
			return &marketplace.Error{Kind: marketplace.Unauthorized, Message: marketNow.Reason}
		case refused && !left.reports:
			return fmt.Errorf("%w: %s", errShopRefuses, shopNow.Reason)
		case refused, left.work, left.waiting, left.reports:
		case r.c.sweeper.RemovalsWait():
			if err := r.c.sweeper.JudgeRemovals(ctx); err != nil {
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
func (r *run) left(ctx context.Context, now time.Time) (remaining, error) {
	var left remaining
	counts := store.AllClasses
	if now.Sub(r.patience.from) >= r.patience.span {
		counts = store.Timely
	}
	spent, over := r.patience.spent(r.c.worker.Failing(), now), r.patience.from.Add(r.patience.span)
	hung := r.c.worker.Hung(func(begun time.Time) time.Time {
		if spent && begun.After(over) {
			return over // the shop has had its time: those under way are waited for, and no further ones
		}
		return r.patience.callEnd(begun)
	}, now)
	blocking, err := r.countHung(ctx, hung)
	if err != nil {
		return left, err
	}
	left.hung = blocking
	due, _, err := r.c.o.Store.Due(ctx, store.DueQuery{
		Classes: r.c.worker.Classes(
			now,
		) & counts, To: store.At(now), Skip: slices.Concat(r.c.worker.RetryingIDs(), slices.Collect(maps.Keys(hung))), Limit: 1,
	})
	if err != nil {
		return left, err
	}
	reports, err := r.c.reporter.Patient(ctx, r.patience.from, now, r.patience.span)
	if err != nil {
		return left, err
	}
	shop, market := r.c.shop.breaker.Status(now), r.c.market.breaker.Status(now)
	disk := r.patience.bears(r.storeWait(), now)
	patient := r.patience.bears(shop, now) && r.patience.bears(market, now) && disk
	open := !shop.Open && !market.Open && r.c.ready(ctx)

	left.work = r.c.worker.BusyWith(func(id string, class store.Class) bool {
		return counts.Has(class) && !r.c.worker.Retries(id) && !hung[id]
	})
	// else every slot is taken by a call that hangs
	if len(due) > 0 && open && !spent && len(hung) < r.c.worker.Slots() {
		left.work = true
	}
	if at, ok := r.c.worker.LastToRetry(); ok && !spent {
		left.waiting = r.patience.lasts(at, now) && patient
	}
	if r.c.worker.AwaitsPictures(now) && r.patience.lasts(r.patience.from, now) {
		left.waiting = left.waiting || patient
	}
	if len(due) > 0 && !open {
		left.waiting = left.waiting || patient
	}
	left.reports = reports && r.patience.bears(market, now) && disk
	return left, nil
}

// storeWait is the trouble with the store as one of a side that is waited for.
func (r *run) storeWait() breaker.Status {
	since, err := r.c.health.StoreTrouble()
	return breaker.Status{Open: err != nil, Since: since}
}

// countHung counts the calls that keep a run from its end. One that only asks for late pictures
// does not: the product is on sale.
func (r *run) countHung(ctx context.Context, hung map[string]bool) (n int, err error) {
	for id := range hung {
		e, err := r.c.o.Store.Get(ctx, id)
		if err != nil {
			return n, err
		}
		if e.Mark == nil || e.Mark.Cause != store.CausePictures {
			n++
		}
	}
	return n, nil
}
