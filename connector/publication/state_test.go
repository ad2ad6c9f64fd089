package publication

import (
	"slices"
	"testing"

	"github.com/pubsync/pubsync/store"
)

// The state is the first that fits, for everything that a record may say.
func TestStateOf(t *testing.T) {
	settled := map[store.ProblemKind]bool{"": true}
	fits := []struct {
		state store.State
		when  func(store.Record) bool
	}{
		{store.StateBlocked, func(r store.Record) bool { return r.Problem.Kind == store.ProblemBlocked }},
		{store.StateRejected, func(r store.Record) bool { return r.Problem.Kind == store.ProblemRejected }},
		{store.StateHeld, func(r store.Record) bool { return len(r.Holds) > 0 }},
		{store.StatePending, func(r store.Record) bool {
			return !settled[r.Problem.Kind] || !r.Removal.Done && (r.Removal.Reason != "" || !r.OnSale)
		}},
		{store.StatePartial, func(r store.Record) bool {
			return !r.Removal.Done && (len(r.Variants) > 0 && r.Variants[0].Refused != "" || len(r.Missing) > 0)
		}},
		{store.StateLive, func(r store.Record) bool { return !r.Removal.Done }},
		{store.StateWithdrawn, func(store.Record) bool { return true }},
	}
	if len(fits) != len(store.States()) {
		t.Fatalf("got %d states tested, want %d", len(fits), len(store.States()))
	}
	reached := map[store.State]int{}
	for _, kind := range []store.ProblemKind{
		"", store.ProblemTransient, store.ProblemWaiting, store.ProblemRejected,
		store.ProblemBlocked,
	} {
		for _, removal := range []store.Removal{
			{},
			{Reason: store.RemovalAbsent},
			{Reason: store.RemovalNoListing, Go: true},
			{Reason: store.RemovalAbsent, Done: true},
		} {
			for bits := range 16 {
				r := store.Record{Problem: store.Problem{Kind: kind}, Removal: removal, OnSale: bits&1 != 0}
				if bits&2 != 0 {
					r.Holds = []store.Hold{{Kind: store.HoldPrice}}
				}
				if bits&4 != 0 {
					r.Variants = []store.Variant{{ID: "v1", Refused: "no"}, {ID: "v2"}}
				}
				if bits&8 != 0 {
					r.Missing = []store.Picture{{URL: "https://i/1"}}
				}
				i := slices.IndexFunc(fits, func(f struct {
					state store.State
					when  func(store.Record) bool
				},
				) bool {
					return f.when(r)
				})
				if store.States()[i] != fits[i].state {
					t.Fatalf("got the order %v, want %s at %d", store.States(), fits[i].state, i)
				}
				if got := StateOf(r); got != fits[i].state {
					t.Errorf(
						"problem %q, removal %+v, on sale %t, %d holds, refused %t, %d pictures missing: %s, want %s",
						kind, removal, r.OnSale, len(r.Holds), hasRefused(r), len(r.Missing), got, fits[i].state,
					)
				}
				reached[fits[i].state]++
			}
		}
	}
	for _, s := range store.States() {
		if reached[s] == 0 {
			t.Errorf("got no way to %s, want one", s)
		}
	}
}
