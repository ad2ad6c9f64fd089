package rest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A shop that gets slower with every request more is given fewer, although it refuses none.
func TestSlowAnswersLessConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter()
		request := func(d time.Duration) {
			turn, err := l.acquire(t.Context(), KindWrite, 1)
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
			t.Errorf("%d at a time while it was fast, %d when it was slow, want 8 at least and 2 at most", fast, slow)
		}
	})
}

func TestLimiterIsFairAndCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter()
		l.allowed = 1
		first, err := l.acquire(t.Context(), KindRead, 1)
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
				turn, err := l.acquire(own, KindRead, 1)
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
			t.Errorf("order %v, %d busy, %d waiting, want [0 2 3] and none", order, l.busy, len(l.waiting))
		}
	})
}

// now is the number of requests allowed at a time.
func (l *limiter) now() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return int(l.allowed)
}
