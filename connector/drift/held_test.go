package drift_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Prices that are held stay as the merchant has them until they are approved, though the share of
// them falls below the brake: the merchant took some back, or the list has grown.
func TestHeldPricesStayHeld(t *testing.T) {
	for _, more := range []int{0, 40} {
		t.Run(fmt.Sprint(more, " more products"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, shop, ids := observing(t, 30, nil)
				for _, id := range ids[:12] {
					shop.change(id, func(p *shopadapter.Product) { p.Variants[0].Price = "5.00" })
				}
				b.Once(true)
				if more > 0 {
					b.Market.AddSound(more)
					b.Once(false)
				} else {
					for _, id := range ids[:2] {
						shop.change(id, func(p *shopadapter.Product) { p.Variants[0].Price = b.Record(id).Variants[0].Price })
					}
				}
				b.Once(true)
				for _, id := range ids[2:12] {
					if p, _ := b.Shop.Get(id); p.Variants[0].Price != "5.00" {
						t.Errorf("%s has %s, want the merchant's 5.00", id, p.Variants[0].Price)
					}
				}
			})
		})
	}
}

// The supplier may change a price while it is held. That change is written when the hold ends.
func TestASuppliersPriceComesWhenNothingIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, shop, ids := observing(t, 30, nil)
		was := b.Record(ids[0]).Variants[0].Price
		for _, id := range ids[:12] {
			shop.change(id, func(p *shopadapter.Product) { p.Variants[0].Price = "5.00" })
		}
		b.Once(true)
		b.Update(ids[0], func(l *sandbox.Listing) { l.Variants[0].MSRP = was[:len(was)-1] + "9" })
		b.Once(false)
		if p, _ := b.Shop.Get(ids[0]); p.Variants[0].Price != "5.00" {
			t.Fatalf("%s while it is held, want 5.00", p.Variants[0].Price)
		}
		shop.change(ids[0], func(p *shopadapter.Product) { p.Variants[0].Price = was })
		b.Once(true)
		p, _ := b.Shop.Get(ids[0])
		if got, want := p.Variants[0].Price, was[:len(was)-1]+"9"; got != want {
			t.Errorf("%s once nothing is held, want the supplier's %s", got, want)
		}
		if got := b.Record(ids[0]).State; got != store.StateLive {
			t.Errorf("%s, want live", got)
		}
	})
}

// A plan names a publication whose changed prices would be held, once.
func TestAPlanNamesAHeldPriceOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, shop, ids := observing(t, 30, nil)
		for _, id := range ids[:12] {
			shop.change(id, func(p *shopadapter.Product) { p.Variants[0].Price = "5.00" })
		}
		plan, err := b.Connector().Planner(time.Minute).Plan(t.Context(), true)
		if err != nil {
			t.Fatal(err)
		}
		if len(plan.Held) != 12 {
			t.Errorf("%d held, want 12: %+v", len(plan.Held), plan.Held)
		}
	})
}
