package bolt

import (
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/keyed"
)

func TestRemovedSince(t *testing.T) {
	const removedKept = 72 * time.Hour
	s := newStore(t)
	remove := func(id string, at time.Duration) {
		t.Helper()
		settle(
			t,
			s,
			store.Settlement{
				Record:  store.Record{ID: id, Removal: store.Removal{At: after(at), Done: true}},
				Removed: true,
			},
		)
	}
	remove("a", 0)
	remove("b", time.Hour)
	remove("c", time.Hour)
	// it was not on sale
	settle(
		t,
		s,
		store.Settlement{Record: store.Record{ID: "d", Removal: store.Removal{At: after(time.Hour), Done: true}}},
	)
	for _, tt := range []struct {
		since time.Duration
		want  int
	}{{-time.Hour, 3}, {0, 3}, {time.Millisecond, 2}, {time.Hour, 2}, {time.Hour + time.Millisecond, 0}} {
		if n, err := removedLen(t.Context(), s, start.Add(tt.since)); n != tt.want || err != nil {
			t.Errorf("since %s: %d, %v, want %d", tt.since, n, err, tt.want)
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
