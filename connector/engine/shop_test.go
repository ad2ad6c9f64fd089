package engine

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/shopadapter"
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

// A call that waits for a slot ends with its context, and is not made.
func TestACallThatWaitsIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := New(Options{Concurrency: 1})
		hold := make(chan struct{})
		go x.inSlot(t.Context(), "p1", func(context.Context) error { <-hold; return nil })
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		made := false
		err := x.inSlot(ctx, "p2", func(context.Context) error { made = true; return nil })
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want %v", err, context.DeadlineExceeded)
		}
		if made {
			t.Error("got the call made, want not")
		}
		close(hold)
		synctest.Wait()
	})
}

// A call that was made ready while the shop asked for a pause is not made.
func TestNoCallInAPauseThatTheShopAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := New(Options{Concurrency: 1})
		until := time.Now().Add(time.Minute)
		x.ShopSide.Judge("p1", breaker.OfShop(shopadapter.Retry("closed").Everywhere().After(time.Minute)))
		made := false
		err := x.inSlot(t.Context(), "p2", func(context.Context) error { made = true; return nil })
		paused, ok := errors.AsType[*pausedError](err)
		if !ok {
			t.Fatalf("error %v, want a pausedError", err)
		}
		if !paused.until.Equal(until) {
			t.Errorf("paused until %s, want %s", paused.until, until)
		}
		if made {
			t.Error("got the call made, want not")
		}
	})
}

// A call has ten minutes.
func TestACallHasADeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := New(Options{Concurrency: 1})
		start := time.Now()
		err := x.inSlot(t.Context(), "p1", func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() })
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want %v", err, context.DeadlineExceeded)
		}
		if got := time.Since(start); got != callDeadline {
			t.Errorf("cancelled after %s, want %s", got, callDeadline)
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

// A call that waits for a slot of all accounts ends with its context, and leaves the line to others.
func TestACallThatWaitsForAllIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := New(Options{Concurrency: 3, AllCalls: semaphore.NewWeighted(1)})
		hold := make(chan struct{})
		go x.inSlot(t.Context(), "p1", func(context.Context) error { <-hold; return nil })
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		var waiting sync.WaitGroup
		for _, id := range []string{"p2", "p3"} {
			waiting.Go(func() {
				err := x.inSlot(ctx, id, func(context.Context) error { return nil })
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("call about %s: %v, want %v", id, err, context.DeadlineExceeded)
				}
			})
		}
		waiting.Wait()
		close(hold)
		if err := x.inSlot(t.Context(), "p4", func(context.Context) error { return nil }); err != nil {
			t.Errorf("the next call: %v, want none", err)
		}
	})
}
