package engine

import (
	"math"
	"testing"
	"time"
)

// A rate is that of the last minute. Before five seconds have passed, and while nothing is done,
// there is none.
func TestMeter(t *testing.T) {
	begun := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var m meter
	for _, step := range []struct {
		after     time.Duration
		done      int64
		due       int
		perMinute float64
		left      time.Duration
	}{
		{0, 0, 100, 0, 0},
		{4 * time.Second, 4, 96, 0, 0},
		{10 * time.Second, 10, 90, 60, 90 * time.Second},
		{30 * time.Second, 30, 70, 60, 70 * time.Second},
		{90 * time.Second, 60, 40, 30, 80 * time.Second}, // 30 in the last 60 s
		{100 * time.Second, 60, 40, 180. / 7, 40 * 7 * time.Second / 3},
		{160 * time.Second, 60, 40, 0, 0}, // it stands still
	} {
		perMinute, left := m.rate(begun.Add(step.after), step.done, step.due)
		if math.Abs(perMinute-step.perMinute) > 1e-9 {
			t.Errorf("after %s: got %v a minute, want %v", step.after, perMinute, step.perMinute)
		}
		if (left - step.left).Abs() > time.Millisecond {
			t.Errorf("after %s: got %s left, want %s", step.after, left, step.left)
		}
	}
}
