package woocommerce

import (
	"context"
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
			t.Errorf(
				"with %d at a time as the most it can bear: up to %d, %d of %d refused",
				bears,
				most,
				refusals,
				all,
			)
		}
		bears = 100
		measure(50)
		if now := a.limit.now(); now < 10 {
			t.Errorf("when it can bear more: %d at a time", now)
		}
	})
}

// A shop that gets slower with every request more is given fewer, although it refuses none.
func TestSlowAnswersLessConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter()
		request := func(d time.Duration) {
			turn, err := l.acquire(t.Context(), kindWrite, 1)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(d)
			turn.done(answered)
		}
		for range 50 {
			request(100 * time.Millisecond)
		}
		fast := l.now()
		for range 6 {
			request(3 * time.Second)
		}
		if slow := l.now(); fast < 8 || slow > 2 {
			t.Errorf("%d at a time while it was fast, %d when it was slow", fast, slow)
		}
	})
}

func TestLimiterIsFairAndCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter()
		l.allowed = 1
		first, err := l.acquire(t.Context(), kindRead, 1)
		if err != nil {
			t.Fatal(err)
		}
		var order []int
		var wg sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		for i := range 4 {
			own := t.Context()
			if i == 1 {
				own = ctx
			}
			wg.Go(func() {
				turn, err := l.acquire(own, kindRead, 1)
				if err != nil {
					return
				}
				order = append(order, i)
				time.Sleep(time.Millisecond)
				turn.done(strained)
			})
			synctest.Wait()
		}
		cancel()
		synctest.Wait()
		first.done(strained)
		wg.Wait()
		if fmt.Sprint(order) != "[0 2 3]" || l.busy != 0 || len(l.waiting) != 0 {
			t.Errorf("order %v, %d busy, %d waiting", order, l.busy, len(l.waiting))
		}
	})
}

// now is the number of requests allowed at a time.
func (l *limiter) now() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return int(l.allowed)
}
