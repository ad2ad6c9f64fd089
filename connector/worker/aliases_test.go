package worker_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// Where the marketplace takes no several publications in one request everything is done as
// elsewhere, and the request that it refuses is made once an hour.
func TestAMarketplaceWithoutAliases(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{MostAliases: -1})
		b.Tune = func(o *connector.Options) { o.Shop = harness.RestockingShop{Shop: b.Shop} }
		ids := b.Market.AddSound(backlogOf)
		harness.Working(t, b.Connector(), func(c *connector.Connector) time.Duration {
			time.Sleep(2 * time.Hour)
			for _, p := range b.Market.Publications() {
				if p.Status != "success" {
					t.Errorf("%s is %s, want success", p.ID, p.Status)
				}
			}
			change := func(stock int) (restocks, refused int) {
				b.Market.Forget()
				before := b.Shop.Count("restock")
				for _, id := range ids {
					b.Update(id, func(l *sandbox.Listing) { l.Variants[0].Quantity = stock })
				}
				c.Sweep(false)
				time.Sleep(10 * time.Minute)
				for _, id := range ids {
					if p, _ := b.Shop.Get(id); p.Variants[0].Quantity != stock {
						t.Errorf("%s has stock %d, want %v", id, p.Variants[0].Quantity, stock)
					}
				}
				return b.Shop.Count("restock") - before, b.Market.Totals()[sandbox.KindInvalid].Requests
			}
			// As many looks as there are places may have been refused before the first refusal was
			// known.
			if restocks, refused := change(77); restocks < backlogOf-8 || refused < 1 || refused > 4 {
				t.Errorf(
					"%d restocks, %d refused requests, want at least %v, at least 1 and at most 4",
					restocks,
					refused,
					backlogOf-8,
				)
			}
			s, err := c.Desk().Status(t.Context())
			if err != nil || s.Several == nil || s.Several.Most != 1 || s.Several.Reason == "" {
				t.Errorf("status says %+v, %v, want Most 1 with a reason and no error", s.Several, err)
			}
			if restocks, refused := change(78); restocks < backlogOf-8 || refused != 0 {
				t.Errorf(
					"%d restocks, %d refused requests while the refusal is known, want at least %v and 0",
					restocks,
					refused,
					backlogOf-8,
				)
			}
			time.Sleep(time.Hour)
			if s, err := c.Desk().Status(t.Context()); err != nil || s.Several != nil {
				t.Errorf("an hour later status says %+v, %v, want <nil> and no error", s.Several, err)
			}
			if _, refused := change(79); refused < 1 || refused > 4 {
				t.Errorf("an hour later %d requests are refused, want at least 1 and at most 4", refused)
			}
			return 0
		})
	})
}
