package connector

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/store"
)

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
