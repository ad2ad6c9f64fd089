package schedule

import (
	"maps"
	"slices"
	"sync"

	"github.com/pubsync/pubsync/store"
)

// claims is which publications are being looked at, and whether there is a backlog. Each method
// locks for itself, and none calls the store.
type claims struct {
	mu       sync.Mutex
	of       map[string]store.Class
	backlog  bool // more changes are due than the points pay for soon
	figuring int  // looks by figures that are under way
}

// add claims a publication unless it is claimed already or ready returns false. ready is called
// with the mutex held, so that only one of several goroutines is let through.
func (c *claims) add(m store.Mark, ready func() bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, claimed := c.of[m.ID]; claimed || !ready() {
		return false
	}
	c.of[m.ID] = m.Class
	return true
}

// remove ends a claim. last reports whether it may have been the last of the backlog.
func (c *claims) remove(id string) (last bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.of, id)
	return c.backlog && c.figuring == 0
}

// all is a copy of the claims.
func (c *claims) all() map[string]store.Class {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.of)
}

// ids are the publications that are claimed.
func (c *claims) ids() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.AppendSeq(make([]string, 0, len(c.of)), maps.Keys(c.of))
}

// len is how many publications are claimed.
func (c *claims) len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.of)
}

// figuresFirst reports whether the figures of a backlog are being read and written: full runs,
// remainders and refreshes wait for them.
func (c *claims) figuresFirst() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.figuring > 0 {
		return true
	}
	for _, class := range c.of {
		if c.backlog && Changes.Has(class) {
			return true
		}
	}
	return false
}

// backlogged reports whether there is a backlog.
func (c *claims) backlogged() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.backlog
}

// beginFigures begins a look by figures during a backlog; more says whether the backlog outlasts
// it.
func (c *claims) beginFigures(more bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.backlog = more
	c.figuring++
}

// endFigures ends a look by figures.
func (c *claims) endFigures() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.figuring--
}

// keepBacklog records that there is a backlog, even where all due changes are claimed.
func (c *claims) keepBacklog() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.backlog = true
}

// endBacklog records that there is no backlog, unless a look by figures is under way.
func (c *claims) endBacklog() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.figuring == 0 {
		c.backlog = false
	}
}
