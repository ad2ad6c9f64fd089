package publication

import (
	"slices"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
)

// A person who has failed publications retried means each state that is not as the supplier offers
// it, but for what a brake holds and what has left.
func TestRetryFailed(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	refused := &store.Report{ID: "p1", RefusedAt: store.At(now.Add(-time.Hour)), Refusals: 3}
	waits := &store.Report{ID: "p1"}
	failed := []store.State{store.StateRejected, store.StateBlocked, store.StatePending, store.StatePartial}
	for _, state := range store.States() {
		for _, row := range []struct {
			name   string
			owed   *store.Report
			remade bool
		}{{"no report", nil, false}, {"a report that waits", waits, false}, {"a refused report", refused, true}} {
			due := slices.Contains(failed, state)
			s := store.Settlement{Record: store.Record{ID: "p1", State: state, ShopID: "7"}}
			write := RetryFailed(&s, row.owed, now)
			if want := due || row.remade; write != want {
				t.Errorf("%s, %s: to be written %t, want %t", state, row.name, write, want)
			}
			if got := s.Next != nil; got != due {
				t.Errorf("%s, %s: due %t, want %t", state, row.name, got, due)
			}
			if got := s.Report != nil; got != row.remade {
				t.Errorf("%s, %s: report made again %t, want %t", state, row.name, got, row.remade)
			}
		}
	}
}
