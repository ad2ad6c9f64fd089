// No more is asked of shop and marketplace than they allow.

package main_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

func TestNoMoreThanTheConcurrencyIsAskedOfTheShop(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]int{"": 4, "1": 1, "8": 8} {
		t.Run("SHOP_CONCURRENCY="+setting, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			s.set("SHOP_CONCURRENCY", setting)
			s.lamps(24)
			var mu sync.Mutex
			under, most := 0, 0
			reached := func() int {
				mu.Lock()
				defer mu.Unlock()
				return most
			}
			s.shop.rules(func(request) reply {
				mu.Lock()
				under++
				most = max(most, under)
				mu.Unlock()
				for i := 0; i < 100 && reached() < want; i++ { // calls meet, on a busy machine too
					time.Sleep(20 * time.Millisecond)
				}
				time.Sleep(20 * time.Millisecond) // and one too many would join them
				mu.Lock()
				under--
				mu.Unlock()
				return reply{}
			})
			s.imported()
			if most != want {
				t.Errorf("%d calls at a time, want %d", most, want)
			}
		})
	}
}

func TestTheBudgetIsKeptWithoutBeingThrottled(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]sandbox.Options{
		"limit 1000":                    {RestoreRate: 400},
		"limit 400 and scalars a point": {RestoreRate: 800, Limit: 400, ScalarCost: 1},
		"limit 2000, bare 429":          {RestoreRate: 300, Limit: 2000, Throttle: sandbox.Bare429},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, o)
			s.market.AddSound(45)
			sum := s.imported()
			throttled := 0
			for _, total := range s.market.Totals() {
				throttled += total.Throttled
			}
			if sum.Created != 45 || sum.Throttled != 0 || throttled != 0 {
				t.Errorf("throttled %d times by the marketplace's account: %+v", throttled, sum)
			}
		})
	}
}

func TestWhatEndsAWait(t *testing.T) {
	t.Parallel()
	t.Run("Retry-After", func(t *testing.T) {
		s := open(t, sandbox.Options{})
		s.lamps(2)
		var until time.Time
		var mu sync.Mutex
		s.shop.rules(func(request) reply {
			mu.Lock()
			defer mu.Unlock()
			if until.IsZero() {
				until = time.Now().Add(5 * time.Second)
			}
			if time.Now().Before(until) {
				return reply{status: http.StatusTooManyRequests, header: map[string]string{"Retry-After": "5"}}
			}
			return reply{}
		})
		w := s.work()
		eventually(t, 10*time.Second, "the shop asks for a pause", func() bool { return len(s.shop.requests("PUT")) > 0 })
		time.Sleep(300 * time.Millisecond) // what was under way ends
		asked := len(s.shop.requests("PUT"))
		w.post("/api/v1/sweep", "{}")
		throughout(t, 3*time.Second, "the pause outlives a person's asking",
			func() bool { return len(s.shop.requests("PUT")) == asked })
		eventually(t, 15*time.Second, "both are on sale", func() bool { return s.shop.onSale() == 2 })
		w.stop()
	})
	t.Run("backoff", func(t *testing.T) {
		s := open(t, sandbox.Options{})
		id := s.lamps(1)[0]
		s.shop.rules(always(reply{status: http.StatusInternalServerError}))
		w := s.work()
		eventually(t, 20*time.Second, "four tries", func() bool { return len(s.shop.puts(id)) >= 4 })
		w.kill()
		s.shop.rules(nil)
		start := time.Now()
		w = s.work()
		eventually(t, 5*time.Second, "it is due at once", func() bool { return s.shop.onSale() == 1 })
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("tried again %s after the restart", took)
		}
		w.stop()
	})
}
