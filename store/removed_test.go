package store_test

import (
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
)

func TestRemovedSince(t *testing.T) {
	const removedKept = 72 * time.Hour
	s := store.InMemory()
	remove := func(id string, when time.Duration, onSale bool) {
		t.Helper()
		change(t, s, id, func(e *store.Entry) {
			e.Record.State = store.StateWithdrawn
			e.Record.Removal, e.Removed = store.Removal{At: at(when), Done: true}, onSale
		})
	}
	remove("a", 0, true)
	remove("b", time.Hour, true)
	remove("c", time.Hour, true)
	remove("d", time.Hour, false)
	for _, tt := range []struct {
		since time.Duration
		want  int
	}{{-time.Hour, 3}, {0, 3}, {time.Millisecond, 2}, {time.Hour, 2}, {time.Hour + time.Millisecond, 0}} {
		f, err := s.Backlog(t.Context(), at(tt.since+store.RemovalWindow))
		if f.Removed != tt.want || err != nil {
			t.Errorf("since %s: %d, %v, want %d", tt.since, f.Removed, err, tt.want)
		}
	}
	keys := func() (n int) {
		must(t, s.View(t.Context(), func(tx *store.Tx) error {
			for range tx.Scan("removed", "", "") {
				n++
			}
			return nil
		}))
		return n
	}
	remove("e", removedKept, true)
	if n := keys(); n != 4 {
		t.Errorf("%d removals are kept", n)
	}
	remove("f", removedKept+time.Minute, true)
	if n := keys(); n != 4 {
		t.Errorf("%d removals are kept: the oldest is of no use any more", n)
	}
}
