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
		var m meeting
		var all sync.WaitGroup
		for _, id := range []string{"p1", "p2", "p3", "p4", "p5"} {
			all.Go(func() {
				if err := x.inSlot(t.Context(), id, m.call(id)); err != nil {
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

// The calls of all accounts have a bound. An account with many calls ready keeps no other waiting:
// they take turns.
func TestAccountsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := semaphore.NewWeighted(2)
		var m meeting
		var calls sync.WaitGroup
		for account, n := range map[string]int{"flood": 40, "one": 2, "two": 2} {
			x := New(Options{Concurrency: 40, AllCalls: all})
			for range n {
				calls.Go(func() {
					if account != "flood" {
						time.Sleep(500 * time.Millisecond) // the flood is in line
					}
					if err := x.inSlot(t.Context(), account, m.call(account)); err != nil {
						t.Errorf("call of %s: got %v, want none", account, err)
					}
				})
			}
		}
		calls.Wait()
		if m.most != 2 {
			t.Errorf("%d calls at a time, want 2", m.most)
		}
		last := max(lastOf(m.order, "one"), lastOf(m.order, "two"))
		if last > 16 {
			t.Errorf("the last call of a small account was number %d of %d, want one of the first 17: %v", last+1,
				len(m.order), m.order)
		}
	})
}

// A meeting is the calls of a second each that are under way at a time.
type meeting struct {
	mu             sync.Mutex
	underWay, most int
	order          []string // who called
}

func (m *meeting) call(by string) func(context.Context) error {
	return func(context.Context) error {
		m.mu.Lock()
		m.underWay++
		m.most = max(m.most, m.underWay)
		m.order = append(m.order, by)
		m.mu.Unlock()
		time.Sleep(time.Second)
		m.mu.Lock()
		defer m.mu.Unlock()
		m.underWay--
		return nil
	}
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
