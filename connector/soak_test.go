package connector_test

import (
	"context"
	"math/rand/v2"
	"net/http"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store"
)

// A week of a worker that nobody looks after: schedules, changes, entries that come and go,
// retries, a registration lost and healed, a token revoked and restored, a shop that is down for a
// night. At its end the shop shows the import list, and the worker has grown nowhere.
func TestWeek(t *testing.T) {
	if testing.Short() {
		t.Skip("a simulated week takes some seconds")
	}
	synctest.Test(t, func(t *testing.T) {
		var receiver atomic.Pointer[http.Handler]
		deliver := sandbox.Transport(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if h := receiver.Load(); h != nil {
				(*h).ServeHTTP(w, r)
				return
			}
			http.Error(w, "nobody listens", http.StatusServiceUnavailable)
		}))
		b := harness.New(t, sandbox.Options{
			Secret: "secret", WebhookTransport: deliver, ChannelWebhookURL: "https://hooks.shop.example/webhooks/path-token",
			LedgerSize: 1000,
			Faults: []sandbox.Fault{
				{
					Kind: sandbox.ServerError, Probability: 0.01,
				},
				{Kind: sandbox.Cut, Probability: 0.01, Executed: true},
				{Kind: sandbox.Slow, Probability: 0.1, Delay: time.Second},
			},
		})
		b.Tune = func(o *connector.Options) {
			o.Webhook.URL = "https://hooks.shop.example/webhooks"
			// sweeps are most of the test's work
			o.Sweep, o.Resync = harness.Cron(t, "7 */4 * * *"), harness.Cron(t, "17 */12 * * *")
			o.FailAfter = 24 * time.Hour
		}
		listed := b.Market.AddSound(16)
		ctx, cancel := context.WithCancel(t.Context())
		c := b.Connector()
		h := c.WebhookHandler()
		receiver.Store(&h)
		done := make(chan error)
		go func() { done <- c.Run(ctx, connector.Listeners{}) }()
		time.Sleep(time.Hour)
		begin := measure(b.Store)

		dice := rand.New(rand.NewPCG(1, 2))
		for day := range 7 {
			for range 24 {
				for range 3 {
					id := listed[dice.IntN(len(listed))]
					if p, ok := b.Market.Publication(id); ok && p.Listing != nil {
						if err := b.Market.SetStock(id, "", dice.IntN(50)); err != nil {
							t.Fatal(err)
						}
					}
				}
				time.Sleep(time.Hour)
			}
			switch day {
			case 0:
				b.Market.Remove(listed[0], listed[1])
			case 1:
				for _, w := range b.Market.Webhooks() {
					b.Market.DeleteWebhook(w.ID)
				}
				listed = append(listed, b.Market.AddSound(2)...)
			case 2:
				b.Market.RevokeToken()
			case 3:
				b.Market.SetToken(sandbox.DefaultToken)
				b.Market.Restore(listed[0])
			case 4:
				b.Shop.Lock()
				b.Shop.Refuse = func(harness.Call) error { return context.DeadlineExceeded }
				b.Shop.Unlock()
			case 5:
				b.Shop.Lock()
				b.Shop.Refuse = nil
				b.Shop.Unlock()
			}
		}
		b.Market.Heal()
		time.Sleep(26 * time.Hour)
		for _, p := range b.Market.Publications() {
			shown, onSale := b.Shop.Get(p.ID)
			if !onSale || p.Status != "success" || b.State(p.ID) != store.StateLive {
				t.Errorf("%s: on sale %t, reported %s, %s", p.ID, onSale, p.Status, b.State(p.ID))
				continue
			}
			if want := max(p.Listing.Variants[0].Quantity, 0); shown.Variants[0].Quantity != want {
				t.Errorf("%s: the shop shows %d, want %d", p.ID, shown.Variants[0].Quantity, want)
			}
		}
		if _, onSale := b.Shop.Get(listed[1]); onSale {
			t.Error("what was removed is on sale still")
		}
		if len(b.Market.Webhooks()) == 0 {
			t.Error("the registration that was lost has not been made again")
		}
		if end := measure(b.Store); end.goroutines > begin.goroutines+2 || end.files > begin.files+2 ||
			end.heap > begin.heap+(8<<20) ||
			end.store > begin.store+(1<<20) {
			t.Errorf("grew from %+v to %+v", begin, end)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// size is what must not grow.
type size struct {
	goroutines, files int
	heap              uint64
	store             int64
}

func measure(s store.Store) size {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fds, _ := os.ReadDir("/proc/self/fd") // where there is none, nothing is counted
	return size{goroutines: runtime.NumGoroutine(), files: len(fds), heap: m.HeapAlloc, store: store.SizeOf(s)}
}
