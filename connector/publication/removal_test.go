package publication

import (
	"testing"

	"github.com/pubsync/pubsync/store"
)

// Whatever else is true of a product on sale, a removal of it that waits for the brake shows in its
// state.
func TestRemovalsWaitByState(t *testing.T) {
	for _, r := range []store.Record{
		{},
		{Missing: []store.Picture{{URL: "u"}}},
		{Variants: []store.Variant{{ID: "v", Refused: "no"}}},
		{Holds: []store.Hold{{Kind: store.HoldRemoval}}},
		{Problem: store.Problem{Kind: store.ProblemTransient}},
		{Problem: store.Problem{Kind: store.ProblemBlocked}},
		{Problem: store.Problem{Kind: store.ProblemRejected}},
	} {
		r.OnSale, r.Removal = true, store.Removal{Reason: store.RemovalAbsent}
		var n Removals
		n.Add(r)
		if state := StateOf(r); len(n.Found) != 1 || !RemovalsWait(map[store.State]int{store.StateLive: 9, state: 1}) {
			t.Errorf("%d found of %s", len(n.Found), state)
		}
	}
	if RemovalsWait(map[store.State]int{store.StateLive: 9, store.StatePartial: 1, store.StatePending: 0}) ||
		RemovalsWait(nil) {
		t.Error("removals wait where nothing is leaving")
	}
}
