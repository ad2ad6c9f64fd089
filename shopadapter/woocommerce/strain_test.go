package woocommerce

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// A shared host bears three requests at a time. It answers 503 to more, and slows down before that.
func TestAdaptiveConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeShop(t)
		var mu sync.Mutex
		var busy, most, refusals, all int
		bears := 3
		a := f.connect(t, realPatience(), func(next http.RoundTripper) http.RoundTripper {
			return roundTripper(func(req *http.Request) (*http.Response, error) {
				mu.Lock()
				busy++
				all++
				most = max(most, busy)
				overloaded := busy > bears
				if overloaded {
					refusals++
				}
				mu.Unlock()
				defer func() { mu.Lock(); busy--; mu.Unlock() }()
				time.Sleep(100 * time.Millisecond)
				if overloaded {
					return page(req, http.StatusServiceUnavailable), nil
				}
				return next.RoundTrip(req)
			})
		})
		measure := func(calls int) (seconds float64) {
			start := time.Now()
			var wg sync.WaitGroup
			for worker := range 12 {
				wg.Go(func() {
					for i := range calls {
						p := sample(fmt.Sprintf("p-%d-%d-%d", worker, i, time.Now().UnixNano()), 1)
						p.Category = shopadapter.Category{}
						_, _ = a.Publish(t.Context(), refOf(p), p, shopadapter.AllFields)
					}
				})
			}
			wg.Wait()
			return time.Since(start).Seconds()
		}
		measure(12)
		most, refusals, all = 0, 0, 0
		measure(25)
		if most > bears+2 || refusals*20 > all {
			t.Errorf("of %d at a time that it can bear: up to %d, %d of %d refused, want 2 more, and 5 %%, at most",
				bears, most, refusals, all)
		}
		bears, most = 100, 0
		measure(50)
		if most < 10 {
			t.Errorf("when it can bear more: %d at a time, want at least 10", most)
		}
	})
}
