package worker_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/internal/delivery"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store"
)

// Who knows the path token and names every publication that waits for a listing, costs no more than
// a tenth of the restore rate and a look: what a hint brings forward is paid for as what it causes.
// What they wait for themselves is looked at as it would have been.
func TestHintsThatBringMarksForward(t *testing.T) {
	const rate, publications, span = 2.0, 42, 20 * time.Minute
	spent := func(t *testing.T, hinted bool) (points float64) {
		synctest.Test(t, func(t *testing.T) {
			b := harness.New(t, sandbox.Options{RestoreRate: rate})
			for range publications - 2 {
				b.Market.Add(sandbox.Publication{})
			}
			b.Market.AddSound(2) // which wait for a refresh
			harness.Working(t, b.Connector(), func(c *connector.Connector) time.Duration {
				time.Sleep(20 * time.Minute)
				b.Market.Forget()
				for range int(span / (10 * time.Second)) {
					for r, err := range store.Records(b.T.Context(), b.Store, store.Query{}) {
						if err != nil {
							t.Fatal(err)
						}
						if hinted {
							harness.Deliver(
								c,
								delivery.Of(
									"POST",
									"/webhooks/path-token",
									`{"data":{"publication":{"id":"`+r.ID+`"}}}`,
									"",
									"",
								),
							)
						}
					}
					time.Sleep(10 * time.Second)
				}
				return 0
			})
			for _, r := range b.Market.Requests() {
				if r.Kind == sandbox.KindContent {
					points += float64(r.ActualCost)
				}
			}
		})
		return points
	}
	without, with := spent(t, false), spent(t, true)
	const share = 0.1 // of the restore rate
	const look = 30   // points, more than any here costs
	allowed := share * rate * span.Seconds()
	if with-without > allowed+look {
		t.Errorf("hints cost %.0f points in %s, want at most %.0f", with-without, span, allowed+look)
	}
	if with < allowed/2 {
		t.Errorf("with hints %.0f points were spent in %s, want at least %.0f", with, span, allowed/2)
	}
}

// A look that a hint led to is charged to the hints though it failed, where the marketplace says
// that it charged it.
func TestAHintWhoseLookFailsIsPaidFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{RestoreRate: 2})
		ids := b.Market.AddSound(2)
		harness.Working(t, b.Connector(), func(c *connector.Connector) time.Duration {
			time.Sleep(20 * time.Minute)
			b.Market.Inject(
				sandbox.Fault{
					On:          []sandbox.Kind{sandbox.KindContent},
					Kind:        sandbox.InternalError,
					Executed:    true,
					Probability: 1,
				},
			)
			b.Market.Forget()
			for i, want := range []int{1, 0} { // the second waits until the first is paid for
				harness.Deliver(
					c,
					delivery.Of("POST", "/webhooks/path-token", `{"data":{"publication":{"id":"`+ids[i]+`"}}}`, "", ""),
				)
				time.Sleep(time.Second)
				if got := b.ContentReads(ids[i]); got != want {
					t.Errorf("hint %d led to %d readings at once, want %d", i+1, got, want)
				}
				b.Market.Heal()
			}
			time.Sleep(10 * time.Minute)
			if got := b.ContentReads(ids[1]); got != 1 {
				t.Errorf("hint 2 led to %d readings in ten minutes, want 1", got)
			}
			return 0
		})
	})
}
