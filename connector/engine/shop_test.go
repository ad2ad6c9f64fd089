package engine

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/semaphore"
)

func TestNoMoreCallsThanSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := New(Options{Concurrency: 2})
		var mu sync.Mutex
		underWay, most := 0, 0
		var all sync.WaitGroup
		for _, id := range []string{"p1", "p2", "p3", "p4", "p5"} {
			all.Go(func() {
				err := x.inSlot(t.Context(), id, func(context.Context) error {
					mu.Lock()
					underWay++
					most = max(most, underWay)
					mu.Unlock()
					time.Sleep(time.Second)
					mu.Lock()
					defer mu.Unlock()
					underWay--
					return nil
				})
				if err != nil {
					t.Errorf("call about %s: got %v, want none", id, err)
				}
			})
		}
		all.Wait()
		if most != 2 {
			t.Errorf("%d calls at a time, want 2", most)
		}
	})
}

// The calls of all accounts have a bound. An account with many calls ready keeps no other waiting:
// they take turns.
func TestAccountsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := semaphore.NewWeighted(2)
		var mu sync.Mutex
		underWay, most := 0, 0
		var order []string
		do := func(x *Engine, account string) {
			err := x.inSlot(t.Context(), account, func(context.Context) error {
				mu.Lock()
				underWay++
				most = max(most, underWay)
				order = append(order, account)
				mu.Unlock()
				time.Sleep(time.Second)
				mu.Lock()
				defer mu.Unlock()
				underWay--
				return nil
			})
			if err != nil {
				t.Errorf("call of %s: got %v, want none", account, err)
			}
		}
		var calls sync.WaitGroup
		for account, n := range map[string]int{"flood": 40, "one": 2, "two": 2} {
			x := New(Options{Concurrency: 40, AllCalls: all})
			for range n {
				calls.Go(func() {
					if account != "flood" {
						time.Sleep(500 * time.Millisecond) // the flood is in line
					}
					do(x, account)
				})
			}
		}
		calls.Wait()
		if most != 2 {
			t.Errorf("%d calls at a time, want 2", most)
		}
		last := max(lastOf(order, "one"), lastOf(order, "two"))
		if last > 16 {
			t.Errorf("the last call of a small account was number %d of %d, want one of the first 17: %v", last+1,
				len(order), order)
		}
	})
}

// lastOf is the last index of a text, -1 where there is none.
func lastOf(all []string, one string) int {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i] == one {
			return i
		}
	}
	return -1
}
