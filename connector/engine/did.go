package engine

import (
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// looks is what looks tell of what they do and meet, under the engine's mutex. It is kept in memory alone:
// after a restart nobody waits.
type looks struct {
	teller   teller
	missing  atomic.Int64 // looks in a row at new entries that do not exist
	did      Counts
	rest     map[string]bool      // publications whose change is counted, and whose remainder is owed
	retrying map[string]time.Time // publications that met a transient error and are tried again: when they first did
	misread  map[string]int       // readings in a row that failed, by publication
	objected map[string]bool      // of these, the publications whose own fault that is
	late     time.Time            // until when a single run waits for late pictures
}

// Counts is what was done since the start.
type Counts struct{ Created, Updated, Unchanged, Withdrawn int64 }

func (c Counts) total() int64 { return c.Created + c.Updated + c.Withdrawn + c.Unchanged }

// lateOnce is the longest wait for a late picture in a single run that has nothing else to do: about two
// tries.
const lateOnce = 6 * time.Second

// locked calls f with the engine's mutex held. f never calls the store.
func (x *Engine) locked(f func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	f()
}

func (x *Engine) done() (did Counts) {
	x.locked(func() { did = x.did })
	return did
}

// count counts what one look did, as its events tell. A change that took two looks, one at the figures and one
// at the remainder, counts once.
func (x *Engine) count(st publication.Step, after store.Entry) {
	id := after.Record.ID
	told := func(what string) bool {
		return slices.ContainsFunc(after.News, func(e store.Event) bool { return strings.HasPrefix(e.What, what) })
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	switch counted := x.rest[id]; {
	case told("withdrawn"):
		x.did.Withdrawn++
	case told(store.WhatCreated):
		x.did.Created++
	case told(store.WhatUpdated), told(store.WhatOffSale):
		if delete(x.rest, id); !counted {
			x.did.Updated++
		}
		if st.OwesRest() {
			x.rest[id] = true
		}
	case st.Unchanged(), st.Do == publication.Publish && after.Record.Problem.Kind == "":
		if st.OwesRest() {
			x.did.Unchanged++
			return
		}
		if delete(x.rest, id); !counted {
			x.did.Unchanged++
		}
	}
}
