package publication

import (
	"cmp"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter/quote"
	"github.com/pubsync/pubsync/store"
)

// HistoryLength is how many lines a history keeps.
const HistoryLength = 8

const historyLine = 160 // characters

// appendHistory adds a line to a publication's history; the same line twice is one with the later
// time.
func appendHistory(h []store.Event, what string, now time.Time) []store.Event {
	what = quote.Line(what, historyLine, func(s string) string { return s })
	e := store.Event{At: store.At(now), What: what}
	out := make([]store.Event, 0, HistoryLength)
	for _, old := range h {
		if old.What != what {
			out = append(out, old)
		}
	}
	out = append(out, e)
	return out[max(0, len(out)-HistoryLength):]
}

// carryHistory copies into r the lines that were written after the look began. Of a line that both
// have, the later one stays.
func carryHistory(start, cur store.Record, r *store.Record) {
	merged := false
	for _, e := range cur.History {
		later := slices.ContainsFunc(
			r.History, func(own store.Event) bool { return own.What == e.What && own.At >= e.At },
		)
		if later || slices.Contains(start.History, e) {
			continue
		}
		r.History, merged = appendHistory(r.History, e.What, e.At.Time()), true
	}
	if merged {
		slices.SortStableFunc(r.History, func(a, b store.Event) int { return cmp.Compare(a.At, b.At) })
	}
}
