package engine

import (
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

const (
	mostTold = 30 // changes in a span that have a line of the log each
	toldSpan = time.Minute
	// longestChange bounds what a line tells, in characters: a product may have hundreds of variants, and
	// explain tells all.
	longestChange = 400
)

// A teller logs what looks changed: a line each, and of a burst one line with its sum.
type teller struct {
	log *slog.Logger

	mu     sync.Mutex
	begun  time.Time // of the present span
	told   int       // lines in this span
	untold untold
	timer  *time.Timer // ends the span of a burst; nil: there is none
}

// untold counts changes that have no line of their own.
type untold struct {
	changes, created, prices, stock, withdrawn int
	since                                      time.Time
}

// tell logs the change of a publication from one record to another.
func (t *teller) tell(before, after store.Record, happened []store.Event, now time.Time) {
	news := changesIn(happened, after)
	if len(news) == 0 && before.State == after.State {
		return
	}
	needsPerson := before.State != after.State && needsPerson(after.State)
	t.mu.Lock()
	defer t.mu.Unlock()
	if now.Sub(t.begun) >= toldSpan || now.Before(t.begun) {
		t.sum()
		t.begun, t.told = now, 0
	}
	if t.told++; t.told > mostTold && !needsPerson {
		t.untold.add(news, before, after, now)
		if t.timer == nil {
			t.timer = time.AfterFunc(toldSpan-now.Sub(t.begun), t.flush)
		}
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
	if before.State == after.State {
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

func (t *teller) flush() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sum()
}

func (t *teller) sum() {
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
	u := t.untold
	if u.changes == 0 {
		return
	}
	t.log.Info("more publications changed", "publications", u.changes, "created", u.created, "prices", u.prices,
		"stock", u.stock, "withdrawn", u.withdrawn, "since", u.since.UTC().Format(time.RFC3339))
	t.untold = untold{}
}

func (u *untold) add(news []store.Event, before, after store.Record, now time.Time) {
	if u.changes == 0 {
		u.since = now
	}
	u.changes++
	has := func(is func(store.Event) bool) int {
		if slices.ContainsFunc(news, is) {
			return 1
		}
		return 0
	}
	moves := func(field string) func(store.Event) bool {
		return func(e store.Event) bool {
			of := func(c store.Change) bool { return c.Field == field }
			return e.What == store.WhatUpdated && slices.ContainsFunc(e.Changes, of)
		}
	}
	u.created += has(func(e store.Event) bool { return e.What == store.WhatCreated })
	u.prices += has(moves("price"))
	u.stock += has(moves("quantity"))
	if before.State != after.State && after.State == store.StateWithdrawn {
		u.withdrawn++
	}
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

// needsPerson reports whether a state waits for somebody: each publication that comes to it has a
// line.
func needsPerson(s store.State) bool {
	return s == store.StateBlocked || s == store.StateRejected || s == store.StateHeld
}
