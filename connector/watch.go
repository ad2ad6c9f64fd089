package connector

import (
	"context"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// checkTimeout bounds one check of the shop.
const checkTimeout = 30 * time.Second

// checkShop asks the shop whether it would take a product. An adapter that cannot tell is taken at its word: try it.
func (c *Connector) checkShop(ctx context.Context) error {
	checker, ok := c.shop.(shopadapter.Checker)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	return c.guarded(func() error { return checker.Check(ctx) }, "call", "check")
}

// watchShop checks the shop at start until that passes, and again and again while it refuses everything, and has what was blocked tried again when it
// passes.
func (c *Connector) watchShop(ctx context.Context) {
	passed := c.checkAtStart(ctx)
	for attempt := 1; ctx.Err() == nil; {
		moved := c.shopGate.moved()
		now := time.Now()
		t := c.shopGate.look(now)
		switch wait := t.Until.Sub(now); {
		case t.Refused && c.shopGate.checked && wait > 0:
			sleep(ctx, moved, wait)
		case t.Refused && c.shopGate.checked:
			c.tryShop(ctx)
		case !passed: // what a shop refused that is down now waits for nothing else
			sleep(ctx, moved, max(gateLeast, backoff(attempt, gateMost)))
			attempt++
			passed = c.checkAtStart(ctx)
		default:
			sleep(ctx, moved, idleWait)
		}
	}
}

func (c *Connector) checkAtStart(ctx context.Context) (passed bool) {
	if err := c.checkShop(ctx); err != nil {
		if ctx.Err() == nil {
			c.judgeShop("check", err)
		}
		return false
	}
	c.unblock()
	return true
}

// tryShop checks a shop that refused everything.
func (c *Connector) tryShop(ctx context.Context) {
	err := c.checkShop(ctx)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		e := shopadapter.Explain(err)
		c.shopGate.refuse(e.Error(), time.Now(), e.RetryAfter, e.Kind == shopadapter.Blocked)
		return
	}
	c.shopGate.release()
	c.unblock()
}

// sleep waits for a signal, for a span, or for the end of ctx.
func sleep(ctx context.Context, signal <-chan struct{}, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-signal:
	case <-timer.C:
	}
}

// unblockGap is how long a publication that is blocked by itself waits for another try, times the tries it has had: each costs a reading.
const unblockGap = time.Hour

// unblock has tried again what the shop as a whole refused, and now and then what was blocked by itself. A listing deleted by hand stays deleted.
func (c *Connector) unblock() {
	if c.store.Counts()[string(StateBlocked)] == 0 {
		return
	}
	now := time.Now()
	var marks []store.Mark
	for r, err := range c.store.Records("") {
		if err != nil {
			c.storeFailed(err)
			return
		}
		p := r.Problem
		gap := unblockGap * time.Duration(min(p.Attempts, 24))
		if p.Kind == problemBlocked && !p.Gone && (p.Wide || now.Sub(p.Last.Time()) > gap) {
			marks = append(marks, store.Mark{ID: r.ID, Class: store.ClassSweep, Cause: store.CauseRetry, At: store.At(now)})
		}
	}
	if err := c.store.Mark(marks...); err != nil {
		c.storeFailed(err)
	}
	c.bell.ring()
}

// watchOverdue tells the marketplace of publications that have waited for the shop too long.
func (c *Connector) watchOverdue(ctx context.Context) {
	every := min(max(c.failAfter/4, time.Second), time.Minute)
	for ctx.Err() == nil {
		sleep(ctx, nil, every)
		c.reportOverdue()
	}
}

// reportOverdue owes `failed` for what is not on sale and has met only the shop's trouble for longer than FailAfter. While the shop as a whole
// refuses everything, a publication that was never tried waits no less.
func (c *Connector) reportOverdue() {
	counts := c.store.Counts()
	if counts[string(StatePending)]+counts[string(StateBlocked)] == 0 {
		return
	}
	now := time.Now()
	shop := c.shopGate.look(now)
	if !shop.Since.IsZero() { // it may have refused everything before this process began
		if first, ok := c.refusedSince(); ok && first.Before(shop.Since) {
			shop.Since = first
		}
	}
	var overdue []string
	for r, err := range c.store.Records("") {
		if err != nil {
			c.storeFailed(err)
			return
		}
		if since, waits := waitsSince(r, shop); waits && now.Sub(since) >= c.failAfter {
			overdue = append(overdue, r.ID)
		}
	}
	if len(overdue) == 0 {
		return
	}
	_, err := c.store.Update(func(owed *store.Report, s *store.Settlement) bool {
		p := &s.Record.Problem
		if p.Overdue || s.Record.OnSale {
			return false
		}
		if p.Kind == "" {
			*p = store.Problem{Kind: problemTransient, Message: shop.Reason, Wide: true, Since: store.At(shop.Since)}
		}
		p.Overdue = true
		s.Record.State = string(stateOf(s.Record))
		owe(s, owed, now)
		return true
	}, overdue...)
	if err != nil {
		c.storeFailed(err)
		return
	}
	c.reporter.bell.ring()
}

// refusedSince is since when the shop as a whole has refused what is remembered of it.
func (c *Connector) refusedSince() (first time.Time, ok bool) {
	for r, err := range c.store.Records("") {
		if err != nil {
			return first, false
		}
		if at := r.Problem.Since.Time(); r.Problem.Wide && (!ok || at.Before(first)) {
			first, ok = at, true
		}
	}
	return first, ok
}

// waitsSince is since when a publication that is not on sale has waited for the shop.
func waitsSince(r store.Record, shop trouble) (since time.Time, waits bool) {
	switch {
	case r.OnSale || r.Problem.Overdue || r.Removal.Reason != "" || len(r.Holds) > 0:
		return since, false
	case waitsForShop(r.Problem.Kind):
		return r.Problem.Since.Time(), true
	case r.Problem.Kind == "" && !shop.Since.IsZero():
		if listed := r.ListedAt.Time(); listed.After(shop.Since) {
			return listed, true
		}
		return shop.Since, true
	default:
		return since, false
	}
}

const (
	removalQuiet = 500 * time.Millisecond // between two looks whether the due set is empty
	removalWait  = time.Minute            // for which removals found one by one wait to be judged together
)

// watchRemovals has the removals that were found one by one judged together: when the due set is worked off, or after a minute.
func (c *Connector) watchRemovals(ctx context.Context) {
	var since time.Time
	for ctx.Err() == nil {
		sleep(ctx, nil, removalQuiet)
		if !c.removals.waiting.Load() {
			since = time.Time{}
			continue
		}
		if since.IsZero() {
			since = time.Now()
		}
		if time.Since(since) < removalWait && c.working() {
			continue
		}
		c.withSweepLock(ctx, func() {
			if err := c.judgeRemovals(); err != nil {
				c.storeFailed(err)
			}
		})
	}
}

// working reports whether something is being worked on or could be now.
func (c *Connector) working() bool {
	if c.engine.busy() > 0 {
		return true
	}
	now := time.Now()
	_, due, err := c.store.Due(now, c.allowed(laneAny, now), func(string) bool { return false })
	return err != nil || due
}
