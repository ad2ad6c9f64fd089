package rules_test

import (
	"testing"
	"testing/synctest"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// Products that are sold out leave the shop and come back. No brake stands in the way, whatever
// their share is, and the marketplace is told nothing. A plan knows of it.
func TestSoldOutProductsLeaveAndComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2000})
		b.Tune = func(o *connector.Options) { o.Rules.SoldOut = publication.SoldOutHide }
		var ids []string
		for range 15 {
			ids = append(ids, b.Market.Add(sandbox.Publication{Listing: harness.OneVariant("10.00", "20.00", 5)})...)
		}
		b.Once(false)
		stock := func(quantity int) {
			t.Helper()
			for _, id := range ids {
				b.Update(id, func(l *sandbox.Listing) { l.Variants[0].Quantity = quantity })
			}
		}
		reports := len(b.Market.Reports())
		stock(0)
		if wrong := harness.PlanLaw(t.Context(), b, false); wrong != "" {
			t.Error(wrong)
		}
		for _, id := range ids {
			if _, onSale := b.Shop.Get(id); onSale || b.State(id) != store.StateLive {
				t.Errorf("%s: on sale %t, %s, want it off sale and live", id, onSale, b.State(id))
			}
		}
		if s := b.Once(false); s.Updated != 0 || s.Exit != desk.ExitOK {
			t.Errorf("sold out still: got %+v, want nothing updated and exit 0", s)
		}
		if s := b.Once(true); s.Withdrawn != 0 || s.Exit != desk.ExitOK {
			t.Errorf("an enumeration: got %+v, want nothing withdrawn and exit 0", s)
		}
		stock(3)
		if wrong := harness.PlanLaw(t.Context(), b, false); wrong != "" {
			t.Error(wrong)
		}
		for _, id := range ids {
			if p, onSale := b.Shop.Get(id); !onSale || p.Variants[0].Quantity != 3 {
				t.Errorf("%s: on sale %t, %+v, want 3 on sale", id, onSale, p.Variants)
			}
		}
		if n := len(b.Market.Reports()); n != reports {
			t.Errorf("got %d reports, want none beside the first %d", n-reports, reports)
		}
	})
}
