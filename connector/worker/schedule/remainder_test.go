package schedule

import (
	"testing"
	"time"
)

// Late remainders and all other looks take turns by the points that they cost, and a time without such
// remainders is not made up for.
func TestHalfThePoints(t *testing.T) {
	t.Parallel()
	var s share
	now := time.Now()
	taken := map[bool]float64{}
	look := func() {
		cost, remainder := 4.0, s.open(now)
		if remainder {
			cost = 22
		}
		taken[remainder] += cost
		s.spent(cost, remainder, now)
	}
	for range 1000 {
		look()
	}
	if ratio := taken[true] / taken[false]; ratio < 0.95 || ratio > 1.05 {
		t.Errorf("remainders had %.2f of the points that all else had, want 0.95 to 1.05", ratio)
	}
	s.none(now)
	if s.open(now) {
		t.Error("at once: got remainders searched for, want a pause")
	}
	for range 1000 {
		s.spent(4, false, now)
	}
	if now = now.Add(remainderPause); !s.open(now) {
		t.Error("after the pause: got remainders not searched for, want them to be")
	}
	look()
	if s.open(now) {
		t.Error("got a turn for points spent while there were no remainders, want none")
	}
}
