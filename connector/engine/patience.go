package engine

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

// A patience is how long a run waits for transient errors.
type patience struct {
	from time.Time // the beginning of the run
	span time.Duration
}

func (p patience) lasts(since, now time.Time) bool { return now.Sub(latest(since, p.from)) <= p.span }

// bears reports whether there is patience for a pause. For one that the other side set there is where it
// ends in time.
func (p patience) bears(s breaker.Status, now time.Time) bool {
	switch {
	case !s.Open:
		return true
	case s.Firm && !s.Checkable():
		return s.Until.Sub(latest(s.Since, p.from)) <= p.span
	default:
		return p.lasts(s.Since, now)
	}
}

// callEnd is the deadline of a call that began at a time: the end of the patience. A call that began late
// gets half the patience anew, since a product with many pictures takes long.
func (p patience) callEnd(begun time.Time) time.Time {
	return latest(p.from.Add(p.span), begun.Add(max(p.span/2, leastCall)))
}

// A remaining is what is left to do in a run.
type remaining struct {
	work    bool // a look is under way, or could begin now
	waiting bool // a publication waits for another try, and there is patience for it
	reports bool // a report is owed and may still be made
	hung    int  // calls of the adapter past their deadline
}

// workOff waits until nothing can be done any more: what is due is worked off, owed reports are made, and
// transient errors are tried again while there is patience. It waits for a slow shop as long as each call
// ends in time. Requests of other callers do not renew the patience.
func (r *run) workOff(ctx context.Context) error {
	for {
		idle, answered := r.idle.Raised(), r.answered.Raised()
		shop, market := r.ShopSide.Changed(), r.MarketSide.Changed()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := r.Health.StoreError(); store.Hopeless(err) {
			return err
		}
		now, removals := time.Now(), r.removalsWait()
		left, err := r.left(ctx, now)
		if err != nil {
			return err
		}
		shopNow, marketNow := r.ShopSide.Status(now), r.MarketSide.Status(now)
		refused := shopNow.Open && shopNow.Refused
		switch {
		case r.busy() > 0 && (refused || marketNow.Refused):
			// looks that were under way when a side refused are still to be settled
		case marketNow.Refused:
			return &marketplace.Error{Kind: marketplace.Unauthorized, Message: marketNow.Reason}
		case refused && !left.reports:
			return fmt.Errorf("%w: %s", errShopRefuses, shopNow.Reason)
		case refused, left.work, left.waiting, left.reports:
		case removals || r.removalsWait(): // before, or found meanwhile
			if err := r.judgeRemovals(ctx); err != nil {
				return err
			}
			continue
		case left.hung > 0:
			return fmt.Errorf("%w: the shop does not come to an end with %d publications", errHung, left.hung)
		default:
			return nil
		}
		breaker.Sleep(ctx, time.Second, idle, answered, shop, market)
	}
}

// left says what is left to do. Refreshes count only while there is patience: on a long list they take days,
// and a run from cron must not.
func (r *run) left(ctx context.Context, now time.Time) (left remaining, err error) {
	counts := store.AllClasses
	if now.Sub(r.from) >= r.span {
		counts = store.Timely
	}
	over := r.from.Add(r.span)
	var failing time.Time
	r.locked(func() { failing = r.failing })
	spent := !failing.IsZero() && !r.lasts(failing, now) // the patience with a shop whose calls all fail
	hung := r.hung(func(begun time.Time) time.Time {
		if spent && begun.After(over) {
			return over // calls that fail anyway get no time beyond the patience
		}
		return r.callEnd(begun)
	}, now)
	var retrying map[string]time.Time
	late := false
	r.locked(func() { retrying, late = maps.Clone(r.retrying), now.Before(r.late) })
	if left.hung, err = r.countHung(ctx, hung, retrying); err != nil {
		return left, err
	}
	due, _, err := r.Store.Due(ctx, store.DueQuery{
		Classes: r.open(queueAny, now) & counts, To: store.At(now), Limit: 1,
		Skip: slices.AppendSeq(slices.Collect(maps.Keys(retrying)), maps.Keys(hung)),
	})
	if err != nil {
		return left, err
	}
	reports, err := r.mayStillReport(ctx, r.patience, now)
	if err != nil {
		return left, err
	}
	shop, market := r.ShopSide.Status(now), r.MarketSide.Status(now)
	since, trouble := r.Health.StoreTrouble()
	disk := r.bears(breaker.Status{Open: trouble != nil, Since: since}, now)
	patient := r.bears(shop, now) && r.bears(market, now) && disk
	open := !shop.Open && !market.Open && r.ready(ctx)

	for id, class := range r.claims() {
		_, retries := retrying[id]
		left.work = left.work || counts.Has(class) && !retries && !hung[id]
	}
	// else a call that hangs is in every slot
	left.work = left.work || len(due) > 0 && open && !spent && len(hung) < cap(r.slots)
	for _, first := range retrying { // the patience with the one that met its error last ends last
		left.waiting = left.waiting || !spent && patient && r.lasts(first, now)
	}
	left.waiting = left.waiting || patient && (late && r.lasts(r.from, now) || len(due) > 0 && !open)
	left.reports = reports && r.bears(market, now) && disk
	return left, nil
}

// countHung counts the calls that keep a run from its end. One more try after a transient error does not: the
// shop answered before, and the publication is pending. Nor does one that only asks for late pictures: the
// product is on sale.
func (r *run) countHung(ctx context.Context, hung map[string]bool, retrying map[string]time.Time) (n int, err error) {
	for id := range hung {
		if _, retries := retrying[id]; retries {
			continue
		}
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
