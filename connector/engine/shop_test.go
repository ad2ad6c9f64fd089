package engine

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/semaphore"
)

func TestNoMoreCallsThanSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := New(Options{Concurrency: 2})
		var m meeting
		var all sync.WaitGroup
		for _, id := range []string{"p1", "p2", "p3", "p4", "p5"} {
			all.Go(func() {
				if err := x.inSlot(t.Context(), id, m.call); err != nil {
					t.Errorf("call about %s: got %v, want none", id, err)
				}
			})
		}
		all.Wait()
		if m.most != 2 {
			t.Errorf("%d calls at a time, want 2", m.most)
		}
	})
}

// The calls of all accounts have a bound.
func TestAccountsShareTheBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slots := semaphore.NewWeighted(2)
		var m meeting
		var calls sync.WaitGroup
		for range 3 {
			x := New(Options{Concurrency: 4, AllCalls: slots})
			for i := range 4 {
				calls.Go(func() {
					if err := x.inSlot(t.Context(), fmt.Sprint("p", i), m.call); err != nil {
						t.Errorf("got %v, want none", err)
					}
				})
			}
		}
		calls.Wait()
		if m.most != 2 {
			t.Errorf("%d calls at a time, want 2", m.most)
		}
	})
}

// A meeting is the calls of a second each that are under way at a time.
type meeting struct {
	mu             sync.Mutex
	underWay, most int
}

func (m *meeting) call(context.Context) error {
	m.mu.Lock()
	m.underWay++
	m.most = max(m.most, m.underWay)
	m.mu.Unlock()
	time.Sleep(time.Second)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.underWay--
	return nil
}
