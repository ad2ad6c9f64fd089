package publication

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/store"
)

// The history tells of each figure that a write puts right.
func TestEachFigureThatIsPutRightIsTold(t *testing.T) {
	by := tableDecider(t, nil)
	s := &till{t: t, r: store.Record{ID: "p1"}, now: tableNow}
	s.look(by, 7, nil)
	s.price, s.quantity = "5.00", 999
	s.compare(by)
	s.look(by, 7, nil)
	for _, want := range []string{
		"the shop had 5.00 for v1 since", "put back to 20.00", "the shop had 999 of v1", "put back to 7",
	} {
		if !strings.Contains(historyText(s.r), want) {
			t.Errorf("history:\n%s\nwant %q in it", historyText(s.r), want)
		}
	}
}

// A variant that a person has switched on again is told.
func TestAVariantThatIsOnSaleAgainIsTold(t *testing.T) {
	by := tableDecider(t, nil)
	s := &till{t: t, r: store.Record{ID: "p1"}, now: tableNow}
	s.look(by, 7, nil)
	s.r.Drift = []store.Drift{{Variant: "v1", Off: true, Since: store.At(tableNow)}}
	s.cause = store.CauseAsked
	s.look(by, 7, nil)
	if want := "v1 had been switched off in the shop since"; !strings.Contains(historyText(s.r), want) {
		t.Errorf("history:\n%s\nwant %q in it", historyText(s.r), want)
	}
	if len(s.r.Drift) != 0 {
		t.Errorf("drift is left: %+v", s.r.Drift)
	}
}
