package quota

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestHintsPayOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Share{}
		if !s.Open(time.Now()) || s.Overdrawn(time.Now()) != 0 {
			t.Fatal("the first look: got the budget shut or overdrawn, want it open")
		}
		s.Spend(100, 50, time.Now()) // at a tenth of 50 points a second: 20 s
		if s.Open(time.Now()) || s.Overdrawn(time.Now()) != 20*time.Second {
			t.Errorf("a look of 100 points at 50 points a second is paid off in %s, want 20s", s.Overdrawn(time.Now()))
		}
		time.Sleep(20*time.Second - time.Nanosecond)
		if s.Open(time.Now()) {
			t.Error("before it is paid off: got open, want shut")
		}
		time.Sleep(time.Nanosecond)
		if !s.Open(time.Now()) || s.Overdrawn(time.Now()) != 0 {
			t.Error("once it is paid off: got shut, want open")
		}

		s.Spend(10, 50, time.Now())
		s.Spend(10, 50, time.Now()) // a second that was under way at the same time
		if got := s.Overdrawn(time.Now()); got != 4*time.Second {
			t.Errorf("two looks of 10 points are paid off in %s, want 4s", got)
		}

		time.Sleep(time.Hour) // quiet saves nothing up
		s.Spend(100, 50, time.Now())
		if got := s.Overdrawn(time.Now()); got != 20*time.Second {
			t.Errorf("after an hour of quiet a look of 100 points is paid off in %s, want 20s", got)
		}
	})
}

// The cost of a look is known once it has ended, so there is one at a time.
func TestHintsAreTakenOneAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Share{}
		s.Begin()
		if s.Open(time.Now()) {
			t.Error("while a look is under way: got open, want shut")
		}
		s.Spend(10, 50, time.Now())
		s.End()
		if s.Open(time.Now()) {
			t.Error("before the first look is paid off: got open, want shut")
		}
		time.Sleep(2 * time.Second)
		if !s.Open(time.Now()) {
			t.Error("once it is paid off: got shut, want open")
		}
		s.Begin()
		s.End() // of which nothing is known, since it failed
		if !s.Open(time.Now()) {
			t.Error("after a look that cost nothing: got shut, want open")
		}
	})
}

func TestHintsTakeNoNonsense(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Share{}
		for _, tt := range []struct{ points, rate float64 }{{0, 50}, {-10, 50}, {10, 0}, {10, -1}} {
			s.Spend(tt.points, tt.rate, time.Now())
			if !s.Open(time.Now()) {
				t.Errorf("%v points at %v a second: got shut for %s, want open", tt.points, tt.rate, s.Overdrawn(time.Now()))
			}
		}
	})
}

// Over any long time the looks of unsigned webhooks cost a tenth of the restore rate, and one look.
func TestHintsKeepTheShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rate, cost = 50.0, 140.0
		s, start, spent := &Share{}, time.Now(), 0.0
		for time.Since(start) < time.Hour {
			if s.Open(time.Now()) {
				s.Spend(cost, rate, time.Now())
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
