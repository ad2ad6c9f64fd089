package engine

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"
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
