package look

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
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

// did counts what one look did, as its events tell: of a change whose figures were written alone, the
// rest counts no more.
func (c *counter) did(st publication.Step, after store.Entry) {
	id := after.Record.ID
	told := func(what string) bool {
		return slices.ContainsFunc(after.News, func(e store.Event) bool { return strings.HasPrefix(e.What, what) })
	}
	switch {
	case told("withdrawn"):
		c.withdrawn.Add(1)
	case told(store.WhatCreated):
		c.created.Add(1)
	case told(store.WhatUpdated), told(store.WhatOffSale):
		if st.OwesRest() && c.begin(id) || !st.OwesRest() && c.ended(id) {
			return
		}
		c.updated.Add(1)
	case st.Unchanged(), st.Do == publication.Publish && after.Record.Problem.Kind == "":
		if st.OwesRest() || !c.ended(id) {
			c.unchanged.Add(1)
		}
	}
}

// begin records that the rest of a counted change is owed, and reports whether that was known.
func (c *counter) begin(id string) (was bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.begun == nil {
		c.begun = map[string]struct{}{}
	}
	_, was = c.begun[id]
	c.begun[id] = struct{}{}
	return was
}

// ended reports whether what a look did is the rest of a change that has been counted.
func (c *counter) ended(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, was := c.begun[id]
	delete(c.begun, id)
	return was
}
