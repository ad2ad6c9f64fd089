package worker_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/robfig/cron/v3"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/internal/delivery"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store"
)

// announced is a signed delivery that names a publication as new as at.
func announced(id string, at time.Time) *http.Request {
	body := fmt.Sprintf(`{"data":{"publication":{"id":%q,"updatedAt":%q}}}`, id, at.UTC().Format(time.RFC3339))
	return delivery.Of("POST", "/webhooks", body, "secret", "PUBLICATION_CREATED")
}

// A publication that a webhook names and the API does not show yet is looked at again six times.
// No sweep runs meanwhile.
func TestWhatAWebhookSaysAndTheAPIDoesNotYet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		ids := b.Market.AddSound(1)
		listing := b.Market.Publications()[0].Listing
		harness.Working(t, b.Connector(), func(c *connector.Connector) time.Duration {
			time.Sleep(time.Minute)
			var from time.Time
			reads := func() (after []int) {
				for _, r := range b.Market.Requests() {
					if r.Kind == sandbox.KindContent {
						after = append(after, int(r.At.Sub(from).Seconds()))
					}
				}
				return after
			}
			hook := func(id string, at time.Time) {
				b.Market.Forget()
				from = time.Now()
				harness.Deliver(c, announced(id, at))
			}
			hook(ids[0], time.Now().Add(5*time.Second))
			time.Sleep(5 * time.Minute)
			if got := reads(); !slices.Equal(got, []int{0, 10, 20, 30, 40, 50, 60}) {
				t.Errorf("one that stays older than it was named is read after %v seconds, want every ten seconds", got)
			}
			hook(ids[0], time.Now().Add(-time.Hour))
			time.Sleep(5 * time.Minute)
			if got := reads(); !slices.Equal(got, []int{0}) {
				t.Errorf("one that is as new as it was named is read after %v seconds, want 0 alone", got)
			}

			hook("late", time.Now())
			time.Sleep(5 * time.Second)
			b.Market.Add(sandbox.Publication{ID: "late", Listing: listing})
			time.Sleep(30 * time.Second)
			if b.State("late") != store.StateLive {
				t.Errorf(
					"one that the API shows five seconds later is %s; it was read after %v seconds, want %v",
					b.State("late"),
					reads(), store.StateLive,
				)
			}
			hook("never", time.Now())
			time.Sleep(5 * time.Minute)
			if got := reads(); !slices.Equal(got, []int{0, 10, 20, 30, 40, 50, 60}) {
				t.Errorf("one that the API never shows is read after %v seconds, want every ten seconds", got)
			}
			if e := b.Entry("never"); e.Known || e.Mark != nil {
				t.Errorf("and leaves %+v behind, want neither a record nor a mark", e)
			}
			return 0
		})
	})
}

// A product that changes or goes is seen by its event, though updatedAt does not move and nothing
// sweeps.
func TestProductEventsAreSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		ids := b.Market.AddSound(3)
		harness.Working(t, b.Connector(), func(c *connector.Connector) time.Duration {
			time.Sleep(time.Minute)
			tell := func(event, id string) {
				p := b.Record(id).Product
				if w := harness.Deliver(c,
					delivery.Of("POST", "/webhooks", `{"data":{"product":{"id":"`+p+`"}}}`, "secret", event)); w.Code != 204 {
					t.Fatalf("%s: %d, want 204", event, w.Code)
				}
				time.Sleep(5 * time.Second)
			}
			if err := b.Market.SetPrice(ids[0], "", "5.00", "18.95", sandbox.KeepUpdatedAt); err != nil {
				t.Fatal(err)
			}
			tell("PRODUCT_UPDATED", ids[0])
			if p, _ := b.Shop.Get(ids[0]); p.Variants[0].Price != "18.95" {
				t.Errorf("the price is %s, want 18.95", p.Variants[0].Price)
			}
			b.Market.Remove(ids[1])
			tell("PRODUCT_DELETED", ids[1])
			if got := b.State(ids[1]); got != store.StateWithdrawn {
				t.Errorf("one whose product is deleted is %s, want %v", got, store.StateWithdrawn)
			}
			tell("PRODUCT_DELETED", ids[2]) // and is there still
			if got := b.State(ids[2]); got != store.StateLive {
				t.Errorf("one whose product is said to be deleted, and is not, is %s, want %v", got, store.StateLive)
			}
			return 0
		})
	})
}

// Suppliers change far more than retailers pick: their products' events, more than the points pay
// for, keep no new entry waiting, announced or not.
func TestAFloodOfProductEventsKeepsNoNewEntryWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 20})
		b.Tune = func(o *connector.Options) { o.Sweep = cron.Every(time.Minute) }
		ids := b.Market.AddSound(40)
		listing := b.Market.Publications()[0].Listing
		harness.Working(t, b.Connector(), func(c *connector.Connector) time.Duration {
			time.Sleep(5 * time.Minute)
			flood := func(span time.Duration) {
				for range int(span / (10 * time.Second)) {
					for _, id := range ids {
						harness.Deliver(
							c,
							delivery.Of(
								"POST",
								"/webhooks",
								`{"data":{"product":{"id":"`+b.Record(id).Product+`"}}}`,
								"secret",
								"PRODUCT_UPDATED",
							),
						)
					}
					time.Sleep(10 * time.Second)
				}
			}
			flood(2 * time.Minute)
			b.Market.Add(sandbox.Publication{ID: "announced", Listing: listing})
			harness.Deliver(c, announced("announced", time.Now()))
			flood(10 * time.Second)
			if got := b.State("announced"); got != store.StateLive {
				t.Errorf("ten seconds after its webhook a new entry is %q, want %v", got, store.StateLive)
			}
			b.Market.Add(sandbox.Publication{ID: "swept", Listing: listing})
			flood(2 * time.Minute)
			if got := b.State("swept"); got != store.StateLive {
				t.Errorf("a minute after the sweep a new entry is %q, want %v", got, store.StateLive)
			}
			return 0
		})
	})
}
