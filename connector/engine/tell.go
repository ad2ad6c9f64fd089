package engine

import (
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// looks is what looks tell of what they do and meet, under the engine's mutex. It is kept in memory alone: a
// restart ends the runs that ask for it.
type looks struct {
	missing  atomic.Int64 // looks in a row at new entries that do not exist
	did      Counts
	rest     map[string]bool      // publications whose change is counted, and whose remainder is owed
	retrying map[string]time.Time // publications that met a transient error and are tried again: when they first did
	misread  map[string]int       // readings in a row that failed, by publication
	objected map[string]bool      // of these, the publications whose own fault that is
}

// Counts is what was done since the start.
type Counts struct{ Created, Updated, Unchanged, Withdrawn int64 }

func (c Counts) total() int64 { return c.Created + c.Updated + c.Withdrawn + c.Unchanged }

// longestChange bounds what a line tells, in characters: a product may have hundreds of variants, and explain
// tells all.
const longestChange = 400

// tellChange logs the change of a publication from one record to another.
func tellChange(log *slog.Logger, before, after store.Record, happened []store.Event) {
	news := changesIn(happened, after)
	moved := before.State != after.State
	if len(news) == 0 && !moved {
		return
	}
	attributes := []any{"publication", after.ID, "title", after.Title}
	if len(news) > 0 {
		said := make([]string, len(news))
		for i, e := range news {
			said[i] = publication.Tell(e)
		}
		attributes = append(attributes, "change", short(strings.Join(said, "; ")))
	}
	if !moved {
		log.Info("publication changed", attributes...)
		return
	}
	log.Info("publication changed state", append(attributes, "state", after.State, "before", before.State,
		"reason", publication.Reason(after))...)
}

func short(s string) string {
	if r := []rune(s); len(r) > longestChange {
		return string(r[:longestChange-1]) + "…"
	}
	return s
}

// changesIn is the events that tell of a change. The state has an attribute of its own, and so has
// a failure.
func changesIn(news []store.Event, r store.Record) (changes []store.Event) {
	for _, e := range news {
		if e.What != store.WhatState && (len(e.Changes) > 0 || r.Problem.Kind == "") {
			changes = append(changes, e)
		}
	}
	return changes
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
