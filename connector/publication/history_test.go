package publication

import (
	"slices"
	"testing"

	"github.com/pubsync/pubsync/store"
)

// A look settles what it has found into a record that others may have written to meanwhile: no line
// of theirs is lost, and none comes twice.
func TestLinesWrittenDuringALook(t *testing.T) {
	created, again := store.Event{At: 10, What: "created"}, store.Event{At: 40, What: "created"}
	reported, refused, updated := store.Event{
		At:   20,
		What: "reported success",
	}, store.Event{
		At:   30,
		What: "report refused: no",
	}, store.Event{
		At:   25,
		What: "updated price",
	}
	list := func(events ...store.Event) []store.Event { return events }
	full := make([]store.Event, HistoryLength)
	for i := range full {
		full[i] = store.Event{At: store.Instant(i + 1), What: string(rune('a' + i))}
	}
	for name, tt := range map[string]struct{ start, cur, own, want []store.Event }{
		"nothing meanwhile": {list(created), list(created), list(created, updated), list(created, updated)},
		"a line before its own": {
			list(created), list(created, reported), list(created, updated),
			list(created, reported, updated),
		},
		"lines on both sides": {
			list(created), list(created, reported, refused), list(created, updated),
			list(created, reported, updated, refused),
		},
		"the first lines":        {nil, list(reported), list(created), list(created, reported)},
		"the same line, earlier": {list(created), list(created), list(again), list(again)},
		"the same line, later":   {nil, list(again), list(created), list(again)},
		"more than are kept": {
			full[1:], append(slices.Clone(full[1:]), reported),
			append(slices.Clone(full[1:]), updated), append(slices.Clone(full[2:]), reported, updated),
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, before := store.Record{History: tt.own}, slices.Clone(tt.own)
			carryHistory(store.Record{History: tt.start}, store.Record{History: tt.cur}, &r)
			if !slices.Equal(r.History, tt.want) || !slices.Equal(tt.own, before) {
				t.Errorf("%v, and what was handed in %v; want %v", r.History, tt.own, tt.want)
			}
		})
	}
}
