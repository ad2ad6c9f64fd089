package connector

import (
	"context"
	"maps"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// priorityOf is the place of a class in the queue for the marketplace's points.
func priorityOf(c store.Class) marketplace.Priority {
	switch c {
	case store.ClassHook:
		return marketplace.Urgent
	case store.ClassNew:
		return marketplace.News
	case store.ClassSweep, store.ClassHint:
		return marketplace.Sweep
	case store.ClassFull:
		return marketplace.Resync
	default:
		return marketplace.Refresh
	}
}

// worker works off the due set until ctx ends; what it has begun then goes on under work.
func (c *Connector) worker(ctx, work context.Context, l lane) {
	for ctx.Err() == nil {
		rung, shop, market := c.bell.listen(), c.shopGate.moved(), c.marketGate.moved()
		wait, did := c.step(ctx, work, l)
		if did {
			continue
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-rung:
		case <-shop:
		case <-market:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// idleWait is how long a worker sleeps when nothing tells it to wake earlier.
const idleWait = time.Minute

// probeWait is how long a worker waits for its turn while one at a time is let through.
const probeWait = 50 * time.Millisecond

// step does one piece of work, or says how long there is none.
func (c *Connector) step(ctx, work context.Context, l lane) (wait time.Duration, did bool) {
	now := time.Now()
	if t := c.shopGate.look(now); t.Shut {
		return t.wait(now), false
	}
	if t := c.marketGate.look(now); t.Shut {
		return t.wait(now), false
	}
	if !c.canWork() {
		return time.Second, false
	}
	leave, ok := c.shopGate.enter()
	if !ok { // whoever was let in may find nothing for its lane, and tells nobody
		return probeWait, false
	}
	defer func() { leave(did) }()
	m, turn, ok, err := c.claimNext(l)
	if err != nil {
		c.storeFailed(err)
		return time.Second, false
	}
	if !ok {
		return c.nextDue(l, now), false
	}
	defer func() { c.unclaim(m) }()

	rec, _, err := c.store.Get(m.ID)
	if err != nil {
		c.storeFailed(err)
		return time.Second, false
	}
	if !needsReading(m, rec) {
		c.skip(m, rec)
		return 0, true
	}
	priority := priorityOf(m.Class)
	if turn {
		priority = min(priority, marketplace.News)
	}
	adm, err := c.market.Admit(ctx, priority)
	if err != nil {
		c.notRead(m, err)
		return 0, true
	}
	// The points may have been long in coming: what is most urgent now goes first.
	limit := m.Class
	if turn {
		limit = store.ClassNew
	}
	if urgent, ok, err := c.claim(l, limit); err == nil && ok {
		c.unclaim(m)
		m = urgent
	}
	c.process(work, m, adm)
	return 0, true
}

// canWork reports whether looks and reports may be made: not before the store is known to belong to the token's account and what the shop holds as
// ours is taken over, and not while the store cannot be written, since nothing that is done could be remembered and points would be spent for nothing.
func (c *Connector) canWork() bool {
	if !c.accountOK.Load() || c.lists && !c.mapped.Load() {
		return false
	}
	return c.storeWorks()
}

func (c *Connector) nextDue(l lane, now time.Time) time.Duration {
	// A copy: whoever claims holds the lock over a read of the store, so a read must not wait for the lock.
	c.engine.mu.Lock()
	claimed := maps.Clone(c.engine.claimed)
	c.engine.mu.Unlock()
	at, ok, err := c.store.NextDue(c.allowed(l, now), func(id string) bool {
		_, ok := claimed[id]
		return ok
	})
	wait := idleWait
	if err == nil && ok {
		wait = min(wait, max(at.Sub(now), time.Millisecond))
	}
	if until := c.hints.until(now); until > 0 && l == laneAny {
		wait = min(wait, until)
	}
	return wait
}

// needsReading reports whether a look costs a reading of content: not when the mark says no more than a sweep saw, and that has been read since.
func needsReading(m store.Mark, r store.Record) bool {
	if m.Cause&^store.CauseSeen != 0 || m.Cause == 0 {
		return true
	}
	return r.UpdatedAt != m.Seen && r.ReadAt <= m.SeenAt
}

// process looks at one publication. While a report of it is under way it gives its points back, since the report may be waiting for them, and leaves the
// mark to be claimed again. A panic on the way is one publication's trouble and is recorded as such.
func (c *Connector) process(ctx context.Context, m store.Mark, adm *marketplace.Admission) {
	defer adm.Release()
	defer func() {
		if p := recover(); p != nil {
			c.fail(m, shopadapter.Retry("%s", c.panicked(p, "publication", m.ID)))
		}
	}()
	if landing := c.reporter.landing(m.ID); landing != nil {
		adm.Release()
		select {
		case <-landing:
		case <-ctx.Done():
		}
		return
	}
	start := time.Now()
	c.looks.begin(m, start)
	c.reconcile(ctx, m, adm)
	c.metrics.looks.Observe(time.Since(start).Seconds())
}

// skip settles a mark that turned out to say nothing new.
func (c *Connector) skip(m store.Mark, r store.Record) {
	s := store.Settlement{Record: r, Gen: m.Gen}
	if r.ReadAt != 0 {
		s.Next = c.policy().refresh(r)
	}
	s.Merge = func(now store.Record, _ *store.Report, s *store.Settlement) { s.Record = now } // nothing was looked at
	c.settle(m, r, s)
}
