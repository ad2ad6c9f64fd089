package worker_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
)

// While changes come faster for hours than the points pay for, the remainders of other changes are
// read in full: those that have waited for an hour get half the points, whatever their number. The
// stock of fresh changes still comes first, and no change waits behind those of publications that
// owe a remainder.
func TestLateRemaindersUnderLastingOverload(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const quiet, busy = 96, 40
		b := harness.New(t, sandbox.Options{RestoreRate: 2.2})
		b.Tune = func(o *connector.Options) { o.Shop = harness.RestockingShop{Shop: b.Shop} }
		ids := b.Market.AddSound(quiet + busy)
		b.Once(false)
		time.Sleep(time.Hour)

		changed := map[string]time.Time{} // those whose stock the shop does not have yet
		titled := map[string]time.Time{}  // those whose title it has
		longest, fresh := time.Duration(0), 0
		b.Shop.OnPublish = func(id shopadapter.PublicationID) {
			p := b.Shop.Products[id].Product
			if at, ok := changed[string(id)]; ok {
				longest, fresh = max(longest, time.Since(at)), fresh+1
				delete(changed, string(id))
			}
			if p.Title == "New title" && titled[string(id)].IsZero() {
				titled[string(id)] = time.Now()
			}
		}
		harness.Working(t, b.Connector(), func(c *connector.Connector) time.Duration {
			time.Sleep(time.Minute)
			begun := time.Now()
			for _, id := range ids[:quiet] {
				b.Update(id, func(l *sandbox.Listing) {
					l.Variants[0].Quantity, l.Texts["en"] = 77, sandbox.Text{Title: "New title"}
				})
			}
			// each publication of the busy changes again a minute after the shop has its stock at
			// the latest
			for i := range 150 {
				b.Shop.Lock()
				var again []string
				for _, id := range ids[quiet:] {
					if _, waits := changed[id]; !waits {
						changed[id] = time.Now()
						again = append(again, id)
					}
				}
				b.Shop.Unlock()
				for _, id := range again {
					b.Update(id, func(l *sandbox.Listing) { l.Variants[0].Quantity = 1000 + i })
				}
				c.Sweep(false)
				time.Sleep(time.Minute)
				if b.Shop.Lock(); i < 25 && len(titled) > quiet/8 { // a lull of seconds pays for some
					t.Errorf(
						"after %s there are points for %d remainders, want an overload, which has none for more than %d",
						time.Since(begun),
						len(titled),
						quiet/8,
					)
				}
				b.Shop.Unlock()
			}
			b.Shop.Lock()
			defer b.Shop.Unlock()
			last := time.Duration(0)
			for _, at := range titled {
				last = max(last, at.Sub(begun))
			}
			if len(titled) < quiet || last > publication.RemainderMost+45*time.Minute {
				t.Errorf(
					"got %d of %d remainders read, the last after %s, want all, within %s",
					len(titled), quiet, last, publication.RemainderMost+45*time.Minute,
				)
			}
			if longest > 45*time.Minute || fresh < 800 {
				t.Errorf(
					"stock came after %s at the latest, for %d changes, want at most %v and at least 800",
					longest,
					fresh,
					45*time.Minute,
				)
			}
			t.Logf("the last rest came after %s, stock after %s at the latest, for %d changes", last, longest, fresh)
			return 0
		})
	})
}
