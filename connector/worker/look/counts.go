package look

import (
	"sync"
	"sync/atomic"

	"github.com/pubsync/pubsync/connector/publication"
)

// A counter counts what was done since the start. A change that took two looks, one at the figures
// and one at the remainder, counts once.
type counter struct {
	created, updated, unchanged, withdrawn atomic.Int64

	mu    sync.Mutex
	begun map[string]struct{} // publications whose change is counted, and whose remainder is owed
}

// Counts is what was done since the start.
type Counts struct{ Created, Updated, Unchanged, Withdrawn int64 }

// counts is what was done since the start.
func (c *counter) counts() Counts {
	return Counts{c.created.Load(), c.updated.Load(), c.unchanged.Load(), c.withdrawn.Load()}
}

// did counts what one look did.
func (c *counter) did(id string, d publication.Decision) {
	if c.counted(id, d) {
		return
	}
	switch d.Result {
	case publication.Created:
		c.created.Add(1)
	case publication.Updated:
		c.updated.Add(1)
	case publication.Unchanged:
		c.unchanged.Add(1)
	case publication.Withdrawn:
		c.withdrawn.Add(1)
	default:
	}
}

// counted reports whether what a look did belongs to a change that has been counted.
func (c *counter) counted(id string, d publication.Decision) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, begun := c.begun[id]
	switch {
	case d.ByFigures() && d.Result == publication.Updated:
		if c.begun == nil {
			c.begun = map[string]struct{}{}
		}
		c.begun[id] = struct{}{}
		return begun
	case d.ByFigures() || !begun || d.Result == publication.NoResult:
		return false
	default:
		delete(c.begun, id)
		return d.Result == publication.Updated || d.Result == publication.Unchanged
	}
}
