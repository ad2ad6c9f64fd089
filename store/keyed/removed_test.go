package keyed_test

import (
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/keyed"
)

func TestRemovedSince(t *testing.T) {
	const removedKept = 72 * time.Hour
	s := keyed.InMemory()
	remove := func(id string, when time.Duration) {
		t.Helper()
		settle(t.Context(), t, s,
			store.Settlement{
				Record:  store.Record{ID: id, Removal: store.Removal{At: at(when), Done: true}},
				Removed: true,
			},
		)
	}
	remove("a", 0)
	remove("b", time.Hour)
	remove("c", time.Hour)
	// it was not on sale
	settle(t.Context(), t, s,
		store.Settlement{Record: store.Record{ID: "d", Removal: store.Removal{At: at(time.Hour), Done: true}}},
	)
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
		must(t, s.View(t.Context(), func(tx *keyed.Tx) error {
			for range tx.Scan("removed", "", "") {
				n++
			}
			return nil
		}))
		return n
	}
	remove("e", removedKept)
	if n := keys(); n != 4 {
		t.Errorf("%d removals are kept", n)
	}
	remove("f", removedKept+time.Minute)
	if n := keys(); n != 4 {
		t.Errorf("%d removals are kept: the oldest is of no use any more", n)
	}
}
