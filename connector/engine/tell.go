package engine

import (
	"log/slog"
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

// A teller logs what looks changed: a line each, and of a burst one line that says how many more there were.
type teller struct {
	log *slog.Logger

	mu     sync.Mutex
	begun  time.Time   // of the present span
	told   int         // lines in this span
	untold int         // changes that have no line
	timer  *time.Timer // ends the span of a burst; nil: there is none
}

// tell logs the change of a publication from one record to another.
func (t *teller) tell(before, after store.Record, happened []store.Event, now time.Time) {
	news := changesIn(happened, after)
	moved := before.State != after.State
	if len(news) == 0 && !moved {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if now.Sub(t.begun) >= toldSpan || now.Before(t.begun) {
		t.sum()
		t.begun, t.told = now, 0
	}
	if t.told++; t.told > mostTold && !(moved && needsPerson(after.State)) {
		if t.untold++; t.timer == nil {
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
	if t.untold > 0 {
		t.log.Info("more publications changed", "publications", t.untold)
		t.untold = 0
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
