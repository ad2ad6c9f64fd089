// No more is asked of shop and marketplace than they allow.

package main_test

import (
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
