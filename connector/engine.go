package connector

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"sync"
	"sync/atomic"
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

// An engine works off the due set. What is being worked on is known in memory alone: a mark stays in the store until its work has settled.
type engine struct {
	mu      sync.Mutex
	claimed map[string]store.Class
	idle    *bell // rung whenever a piece of work has ended
	turns   atomic.Uint64
}

func newEngine() *engine { return &engine{claimed: map[string]store.Class{}, idle: newBell()} }

// A lane is what a worker takes: the urgent one only what somebody waits for, so that a backlog never stands before it.
type lane int

const (
	laneAny lane = iota
	laneUrgent
	laneTurn // what a backlog of new publications would starve: one look in turnEvery is taken from it first
)

// turnEvery keeps an import that takes hours from hiding the changes of what is on sale already.
const turnEvery = 8

func (c *Connector) allowed(l lane, now time.Time) func(store.Class) bool {
	hints := c.hints.open(now)
	return func(class store.Class) bool {
		switch class {
		case store.ClassHook:
			return l != laneTurn
		case store.ClassNew:
			return l == laneAny
		case store.ClassSweep:
			return l != laneUrgent
		case store.ClassHint:
			return l != laneUrgent && hints
		default:
			return l == laneAny
		}
	}
}

// claim takes the most urgent mark that is due and that nobody works on, of a class below limit. What only webhooks ask for too soon after the last look
// is put off: whether it is too soon is decided here, since the last look may have begun after the webhook was judged.
func (c *Connector) claim(l lane, limit store.Class) (store.Mark, bool, error) {
	for {
		m, at, ok, err := c.claimOne(l, limit)
		if err != nil || !ok || at.IsZero() {
			return m, ok, err
		}
		err = c.store.Defer(m.ID, m.Gen, at)
		c.unclaim(m)
		if err != nil {
			return m, false, err
		}
	}
}

// claimOne claims one mark; at is the time to which it must be put off, zero when it need not.
func (c *Connector) claimOne(l lane, limit store.Class) (m store.Mark, at time.Time, ok bool, err error) {
	c.engine.mu.Lock()
	defer c.engine.mu.Unlock()
	now := time.Now()
	allowed := c.allowed(l, now)
	m, ok, err = c.store.Due(now, func(class store.Class) bool { return class < limit && allowed(class) }, c.engine.taken)
	if err != nil || !ok {
		return m, at, false, err
	}
	c.engine.claimed[m.ID] = m.Class
	if m.Class == store.ClassHint {
		c.hints.take()
	}
	return m, c.looks.tooSoon(m, now), true, nil
}

// claimNext takes the most urgent mark, or when it is their turn the most urgent of those that new publications would starve.
func (c *Connector) claimNext(l lane) (m store.Mark, turn, ok bool, err error) {
	if l == laneAny && c.engine.turns.Add(1)%turnEvery == 0 {
		if m, ok, err = c.claim(laneTurn, store.Class(store.Classes)); ok || err != nil {
			return m, true, ok, err
		}
	}
	m, ok, err = c.claim(l, store.Class(store.Classes))
	return m, false, ok, err
}

// taken is called with the lock held.
func (e *engine) taken(id string) bool {
	_, ok := e.claimed[id]
	return ok
}

func (c *Connector) unclaim(m store.Mark) {
	c.engine.mu.Lock()
	delete(c.engine.claimed, m.ID)
	c.engine.mu.Unlock()
	if m.Class == store.ClassHint {
		c.hints.end()
		c.queue.bell.ring()
	}
	c.engine.idle.ring()
	c.bell.ring()
}

// busy is the number of publications being worked on.
func (e *engine) busy() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.claimed)
}

// busyWith reports whether something such as which says is being worked on.
func (e *engine) busyWith(which func(id string, class store.Class) bool) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for id, class := range e.claimed {
		if which(id, class) {
			return true
		}
	}
	return false
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
	if !ok {
		return idleWait, false
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
	if c.storeTrouble.trouble() == nil {
		return true
	}
	if err := c.store.Writable(); err != nil {
		return false
	}
	if c.storeTrouble.clear() {
		c.log.Info("store can be written again")
	}
	return true
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

// process looks at one publication. A panic on the way is one publication's trouble and is recorded as such.
func (c *Connector) process(ctx context.Context, m store.Mark, adm *marketplace.Admission) {
	defer adm.Release()
	defer func() {
		if p := recover(); p != nil {
			c.log.Error("panic while working on a publication", "publication", m.ID, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			c.metrics.panics.Inc()
			c.fail(m, shopadapter.Retry("internal error: %v", p))
		}
	}()
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

// marketFailed is one failed call to the marketplace. Nothing is held against a publication for it.
func (c *Connector) marketFailed(id string, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	now := time.Now()
	reason := err.Error()
	var e *marketplace.Error
	var news bool
	switch {
	case errors.As(err, &e) && e.Kind == marketplace.Unauthorized:
		news = c.marketGate.refuse(reason, now, 0, true)
	case e != nil && (e.Kind == marketplace.Throttled || e.Kind == marketplace.Refused):
		return // the pacer waits for the one, the other concerns one publication
	case e != nil && e.RetryAfter > 0:
		news = c.marketGate.refuse(reason, now, e.RetryAfter, false)
	default:
		news = c.marketGate.failed(id, reason, now)
	}
	if t := c.marketGate.look(now); t.Firm {
		c.keepPause(pauseOfMarket, t)
	}
	c.lastError.set(err)
	if news {
		c.log.Error("marketplace cannot be used, pausing until it can", "error", reason)
	}
}

func (c *Connector) marketSucceeded() {
	if c.marketGate.succeeded(time.Now()) {
		c.log.Info("marketplace is back")
	}
}

func (c *Connector) storeFailed(err error) {
	c.lastError.set(err)
	if c.storeTrouble.note(err) {
		c.log.Error("store cannot be written, trying on", "error", err)
	}
}
