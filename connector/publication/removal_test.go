package publication

import (
	"testing"

	"github.com/pubsync/pubsync/store"
)

// Whatever else is true of a product on sale that must leave, the brake finds it by its key.
func TestWhatMustLeaveIsFound(t *testing.T) {
	for name, r := range map[string]store.Record{
		"nothing else":         {},
		"a missing picture":    {Missing: []store.Picture{{URL: "u"}}},
		"a refused variant":    {Variants: []store.Variant{{ID: "v", Refused: "no"}}},
		"held":                 {Holds: []store.Hold{{Kind: store.HoldRemoval}}},
		"a transient problem":  {Problem: store.Problem{Kind: store.ProblemTransient}},
		"a blocked problem":    {Problem: store.Problem{Kind: store.ProblemBlocked}},
		"rejected by the shop": {Problem: store.Problem{Kind: store.ProblemRejected}},
	} {
		r.OnSale, r.Removal = true, store.Removal{Reason: store.RemovalAbsent}
		if _, found := (store.Query{Key: store.KeyLeaving()}).Place(r); !found {
			t.Errorf("%s: got no key, want that of what leaves", name)
		}
		n := Removals{OnSale: 5}
		n.Add(r)
		if len(n.Found) != 1 || n.OnSale != 5 || n.Recent != 0 {
			t.Errorf("%s: got %+v, want it found among 5 on sale", name, n)
		}
	}
}

// A removal that was judged, and is not carried out yet, counts as done.
func TestAJudgedRemovalCountsAsRecent(t *testing.T) {
	n := Removals{OnSale: 5, Recent: 2}
	n.Add(store.Record{OnSale: true, Removal: store.Removal{Reason: store.RemovalAbsent, Go: true}})
	if len(n.Found) != 0 || n.OnSale != 4 || n.Recent != 3 {
		t.Errorf("got %+v, want 4 on sale and 3 recent", n)
	}
}
