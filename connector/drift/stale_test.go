package drift_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A figuredShop accepts figures alone.
type figuredShop struct{ *observedShop }

func (s figuredShop) Restock(
	ctx context.Context, ref shopadapter.Ref, variants []shopadapter.Figures, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	return harness.RestockingShop{Shop: s.Shop}.Restock(ctx, ref, variants, changed)
}

// A price that somebody changed is put right too where the shop refuses what the supplier has now:
// by a full run, which reads everything, and by the worker, which need not.
func TestAWrongPriceOfARejectedProduct(t *testing.T) {
	for _, full := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			b, shop, ids := observing(t, 3, nil)
			tune := b.Tune
			b.Tune = func(o *connector.Options) {
				tune(o)
				o.Shop = figuredShop{shop}
			}
			b.Shop.Refuse = func(c harness.Call) error {
				if c.Method == "update" && c.ID == shopadapter.PublicationID(ids[0]) {
					return shopadapter.Reject("the title is too long")
				}
				return nil
			}
			b.Update(ids[0], func(l *sandbox.Listing) { l.Texts = map[string]sandbox.Text{"en": {Title: "Another"}} })
			b.Once(false)
			if got := b.State(ids[0]); got != store.StateRejected {
				t.Fatalf("%s, want rejected", got)
			}
			time.Sleep(time.Hour)
			shop.change(ids[0], func(p *shopadapter.Product) { p.Variants[0].Price = "5.00" })
			if full {
				b.Once(true)
			} else {
				_, stop := b.Start()
				time.Sleep(26 * time.Hour)
				stop()
			}
			ours := b.Record(ids[0]).Variants[0].Price
			if p, _ := b.Shop.Get(ids[0]); p.Variants[0].Price != ours {
				t.Errorf("full %t: the shop has %s, want %s: %s", full, p.Variants[0].Price, ours,
					historyOf(b.Record(ids[0])))
			}
			if got := b.State(ids[0]); got != store.StateRejected {
				t.Errorf("full %t: %s, want rejected", full, got)
			}
		})
	}
}
