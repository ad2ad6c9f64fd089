package engine

import (
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// looks is what looks tell of what they do and meet, under the engine's mutex. It is kept in memory alone: a
// restart ends the runs that ask for it.
type looks struct {
	teller   *teller
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

const (
	mostTold = 30              // changes that have a line of the log each at once
	toldSpan = 2 * time.Second // after which one more has
	// longestChange bounds what a line tells, in characters: a product may have hundreds of variants, and
	// explain tells all.
	longestChange = 400
)

// A teller logs what looks changed, a line each. Of a burst it leaves out lines, and the next one counts them.
type teller struct {
	log    *slog.Logger
	lines  *rate.Limiter
	untold atomic.Int64 // changes since the last line
}

func newTeller(log *slog.Logger) *teller {
	return &teller{log: log, lines: rate.NewLimiter(rate.Every(toldSpan), mostTold)}
}

// tell logs the change of a publication from one record to another. One that needs a person has a line in a
// burst too.
func (t *teller) tell(before, after store.Record, happened []store.Event, now time.Time) {
	news := changesIn(happened, after)
	moved := before.State != after.State
	if len(news) == 0 && !moved {
		return
	}
	if !t.lines.AllowN(now, 1) && !(moved && needsPerson(after.State)) {
		t.untold.Add(1)
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
	if n := t.untold.Swap(0); n > 0 {
		attributes = append(attributes, "untold", n)
	}
	if !moved {
		t.log.Info("publication changed", attributes...)
		return
	}
	t.log.Info("publication changed state", append(attributes, "state", after.State, "before", before.State,
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

// needsPerson reports whether a state waits for somebody.
func needsPerson(s store.State) bool {
	return s == store.StateBlocked || s == store.StateRejected || s == store.StateHeld
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
