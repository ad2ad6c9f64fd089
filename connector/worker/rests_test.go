package worker

import (
	"testing"
	"time"
)

// Late rests and all other looks take turns by the points that they cost, and a time without such
// rests is not made up for.
func TestHalfThePoints(t *testing.T) {
	t.Parallel()
	var s restShare
	now := time.Now()
	taken := map[bool]float64{}
	look := func() {
		cost, rest := 4.0, s.open(now)
		if rest {
			cost = 22
		}
		taken[rest] += cost
		s.spent(cost, rest, now)
	}
	for range 1000 {
		look()
	}
	if taken[true] < 0.95*taken[false] || taken[true] > 1.05*taken[false] {
		t.Errorf("rests had %.0f points, all else %.0f", taken[true], taken[false])
	}
	s.none(now)
	if s.open(now) {
		t.Error("rests are looked for again at once")
	}
	for range 1000 {
		s.spent(4, false, now)
	}
	if now = now.Add(restPause); !s.open(now) {
		t.Error("rests are never looked for again")
	}
	look()
	if s.open(now) {
		t.Error("what others spent while there were no rests is made up for")
	}
}
