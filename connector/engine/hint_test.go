package engine

import (
	"testing"
	"testing/synctest"
	"time"
)

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
