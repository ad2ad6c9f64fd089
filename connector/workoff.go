package connector

import (
	"context"
	"fmt"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// rest is what is left to do in a run.
type rest struct {
	work    bool // something is being worked on, or could be now: there is no giving up
	waiting bool // something waits for another try, and there is patience for it
	reports bool // a report is owed and may still be made
}

// workOff waits until nothing can be done any more: what is due is worked off, owed reports are made, and what met a transient error is tried again for as
// long as there is patience. Patience is for waiting alone: a shop that takes its time is not given up on, and what others ask of the worker meanwhile
// does not renew it.
func (c *Connector) workOff(ctx context.Context, o OnceOptions) error {
	for {
		idle, acked, shop, market := c.engine.idle.listen(), c.reporter.acked.listen(), c.shopGate.moved(), c.marketGate.moved()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := c.storeTrouble.trouble(); store.Hopeless(err) {
			return err
		}
		now := time.Now()
		left, err := c.left(now, o)
		if err != nil {
			return err
		}
		shopNow, marketNow := c.shopGate.look(now), c.marketGate.look(now)
		refused := shopNow.Shut && shopNow.Refused
		switch {
		case c.engine.busy() > 0 && (refused || marketNow.Refused): // what was under way when a side refused has yet to settle
		case marketNow.Refused:
			return &marketplace.Error{Kind: marketplace.Unauthorized, Message: marketNow.Reason}
		case refused && !left.reports:
			return fmt.Errorf("%w: %s", errShopRefuses, shopNow.Reason)
		case refused, left.work, left.waiting, left.reports:
		case c.removals.waiting.Load():
			c.withSweepLock(ctx, func() { err = c.judgeRemovals() })
			if err != nil {
				return err
			}
			continue
		default:
			return nil
		}
		timer := time.NewTimer(time.Second)
		select {
		case <-ctx.Done():
		case <-idle:
		case <-acked:
		case <-shop:
		case <-market:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// left says what is left to do. Refreshes count only while there is patience: on a long list they take days, and a run from cron must not.
func (c *Connector) left(now time.Time, o OnceOptions) (rest, error) {
	var r rest
	refreshes := now.Sub(o.started) < o.Patience
	counts := func(class store.Class) bool { return refreshes || class != store.ClassRefresh }
	allowed := c.allowed(laneAny, now)
	_, due, err := c.store.Due(now, func(class store.Class) bool { return allowed(class) && counts(class) }, c.retrying.has)
	if err != nil {
		return r, err
	}
	owed, err := c.store.OutboxLen()
	if err != nil {
		return r, err
	}
	shop, market := c.shopGate.look(now), c.marketGate.look(now)
	disk := o.bears(c.storeWait(), now)
	gate := o.bears(shop, now) && o.bears(market, now) && disk
	open := !shop.Shut && !market.Shut && c.canWork()

	r.work = c.engine.busyWith(func(id string, class store.Class) bool { return counts(class) && !c.retrying.has(id) }) || due && open
	if at, ok := c.retrying.latest(); ok {
		r.waiting = now.Sub(later(at, o.started)) <= o.Patience && gate
	}
	if due && !open {
		r.waiting = r.waiting || gate
	}
	r.reports = owed > 0 && o.bears(market, now) && disk && c.reporter.patient(owed, o.started, now, o.Patience)
	return r, nil
}

// storeWait is the trouble with the store as one of a side that is waited for.
func (c *Connector) storeWait() trouble {
	since, err := c.storeTrouble.look()
	return trouble{Shut: err != nil, Since: since}
}

// bears reports whether there is patience for a pause: for one that somebody set, when it ends in time.
func (o OnceOptions) bears(t trouble, now time.Time) bool {
	if !t.Shut {
		return true
	}
	spent := now.Sub(later(t.Since, o.started))
	if t.Firm {
		return t.Until.Sub(now)+spent <= o.Patience
	}
	return spent <= o.Patience
}
