package engine

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestHintsPayOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &share{}
		if !s.open(time.Now()) || s.wait(time.Now(), time.Hour) != 0 {
			t.Fatal("the first look: got the budget shut or overdrawn, want it open")
		}
		s.spend(100, 50, time.Now()) // at a tenth of 50 points a second: 20 s
		if s.open(time.Now()) || s.wait(time.Now(), time.Hour) != 20*time.Second {
			t.Errorf("a look of 100 points at 50 points a second is paid off in %s, want 20s", s.wait(time.Now(), time.Hour))
		}
		time.Sleep(20*time.Second - time.Nanosecond)
		if s.open(time.Now()) {
			t.Error("before it is paid off: got open, want shut")
		}
		time.Sleep(time.Nanosecond)
		if !s.open(time.Now()) || s.wait(time.Now(), time.Hour) != 0 {
			t.Error("once it is paid off: got shut, want open")
		}

		s.spend(10, 50, time.Now())
		s.spend(10, 50, time.Now()) // a second that was under way at the same time
		if got := s.wait(time.Now(), time.Hour); got != 4*time.Second {
			t.Errorf("two looks of 10 points are paid off in %s, want 4s", got)
		}

		time.Sleep(time.Hour) // quiet saves nothing up
		s.spend(100, 50, time.Now())
		if got := s.wait(time.Now(), time.Hour); got != 20*time.Second {
			t.Errorf("after an hour of quiet a look of 100 points is paid off in %s, want 20s", got)
		}
	})
}

// The cost of a look is known once it has ended, so there is one at a time.
func TestHintsAreTakenOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &share{}
		s.begin(time.Now())
		if s.open(time.Now()) {
			t.Error("while a look is under way: got open, want shut")
		}
		s.spend(10, 50, time.Now())
		s.end()
		if s.open(time.Now()) {
			t.Error("before the first look is paid off: got open, want shut")
		}
		time.Sleep(2 * time.Second)
		if !s.open(time.Now()) {
			t.Error("once it is paid off: got shut, want open")
		}
		s.begin(time.Now())
		s.end() // of which nothing is known, since it failed
		if !s.open(time.Now()) {
			t.Error("after a look that cost nothing: got shut, want open")
		}
	})
}

func TestHintsTakeNoNonsense(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &share{}
		for _, tt := range []struct{ points, rate float64 }{{0, 50}, {-10, 50}, {10, 0}, {10, -1}} {
			s.spend(tt.points, tt.rate, time.Now())
			if !s.open(time.Now()) {
				t.Errorf("%v points at %v a second: got shut for %s, want open", tt.points, tt.rate, s.wait(time.Now(), time.Hour))
			}
		}
	})
}

// Over any long time the looks of unsigned webhooks cost a tenth of the restore rate, and one look.
func TestHintsKeepTheShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rate, cost = 50.0, 140.0
		s, start, spent := &share{}, time.Now(), 0.0
		for time.Since(start) < time.Hour {
			if s.open(time.Now()) {
				s.spend(cost, rate, time.Now())
				spent += cost
			}
			time.Sleep(100 * time.Millisecond)
		}
		allowed := unsignedShare * rate * time.Since(start).Seconds()
		if spent > allowed+cost || spent < allowed*0.99 {
			t.Errorf("got %v points in an hour, want %v, and a look of %v at most", spent, allowed, cost)
		}
	})
}
