package publication

import (
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter/quote"
	"github.com/pubsync/pubsync/store"
)

const historyLine = 160 // characters

// appendHistory adds an event without a kind to a history: its text says it all.
func appendHistory(h []store.Event, what string, now time.Time) []store.Event {
	return appendEvent(h, store.Event{What: what}, now)
}

// appendEvent adds an event to a history. Of an event that only says again what one before says, the
// later one stays. So does the last of transient errors in a row: they do not push out what changed.
func appendEvent(h []store.Event, e store.Event, now time.Time) []store.Event {
	e.What = quote.Line(e.What, historyLine, func(s string) string { return s })
	e.At = store.At(now)
	out := make([]store.Event, 0, len(h)+1)
	for i, old := range h {
		inARow := e.Kind == store.EventTransient && old.Kind == e.Kind && i == len(h)-1
		if !e.Repeats(old) && !inARow {
			out = append(out, old)
		}
	}
	return append(out, e)
}

// carryHistory copies into r the events that were recorded after the look began.
func carryHistory(start, cur store.Record, r *store.Record) {
	out := slices.Clone(cur.History)
	for _, e := range r.History {
		if slices.Contains(start.History, e) || slices.Contains(cur.History, e) {
			continue
		}
		if !slices.ContainsFunc(cur.History, func(c store.Event) bool { return e.Repeats(c) && c.At > e.At }) {
			out = appendEvent(out, e, e.At.Time())
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].At < out[j].At })
	r.History = out
}

// RecordVerdict adds to a history that a person approved or declined holds: an event for each kind of
// hold. by names the person.
func RecordVerdict(r *store.Record, verdict store.EventKind, holds []store.Hold, by string, now time.Time) {
	for _, kind := range store.HoldKinds() {
		of := only(holds, func(h store.Hold) bool { return h.Kind == kind })
		if len(of) > 0 {
			r.History = appendEvent(r.History, holdEvent(verdict, of, by), now)
		}
	}
}

// recordRetried adds to a history that a person asked for another try.
func recordRetried(r *store.Record, reset bool, by string, now time.Time) {
	e := store.Event{Kind: store.EventRetried, By: by}
	if reset {
		e.What = "with the supplier's texts"
	}
	r.History = appendEvent(r.History, e, now)
}

// holdEvent is an event about holds of one kind.
func holdEvent(what store.EventKind, holds []store.Hold, by string) store.Event {
	var moves []store.Move
	for _, h := range holds {
		if h.Variant != "" || h.Old != "" || h.New != "" {
			moves = append(moves, store.Move{Variant: h.Variant, Old: h.Old, New: h.New})
		}
	}
	e := store.Event{Kind: what, What: string(holds[0].Kind), By: by}
	e.Moved, e.More = store.PackMoves(moves)
	return e
}

const mostNames = 3 // that are joined

// joinNames is names with one more, each once.
func joinNames(names, name string) string {
	const and = ", "
	if name == "" || slices.Contains(strings.Split(names, and), name) {
		return names
	}
	if names == "" {
		return name
	}
	if strings.Count(names, and) >= mostNames-1 {
		return names
	}
	return names + and + name
}
