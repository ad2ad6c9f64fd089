package engine

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestSleepEnds(t *testing.T) {
	for _, tt := range []struct {
		name string
		wake func(raise, cancel func())
		want time.Duration
	}{
		{"after its span", func(_, _ func()) {}, time.Minute},
		{"with a signal", func(raise, _ func()) { raise() }, 10 * time.Second},
		{"with its context", func(_, cancel func()) { cancel() }, 10 * time.Second},
	} {
		for place := range mostSignals {
			t.Run(tt.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					s := new(Signal)
					signals := make([]<-chan struct{}, place+1)
					signals[place] = s.Raised()
					time.AfterFunc(10*time.Second, func() { tt.wake(s.Raise, cancel) })
					begun := time.Now()
					Sleep(ctx, time.Minute, signals...)
					if took := time.Since(begun); took != tt.want {
						t.Errorf("slept %s, want %s", took, tt.want)
					}
				})
			})
		}
	}
}

func TestBackoff(t *testing.T) {
	for _, tt := range []struct {
		attempts   int
		most, span time.Duration
	}{
		{-1, MaxBackoff, FirstBackoff},
		{1, MaxBackoff, 1500 * time.Millisecond}, // the first retry comes within 2 s
		{2, MaxBackoff, 2 * FirstBackoff},
		{9, MaxBackoff, 256 * FirstBackoff},
		{10, MaxBackoff, 10 * time.Minute},
		{1 << 62, MaxBackoff, 10 * time.Minute},
		{3, HastyBackoff, 5 * time.Second},
	} {
		low, high := tt.span, time.Duration(0)
		for range 1000 {
			d := Backoff(tt.attempts, tt.most)
			if d < 0 || d >= tt.span {
				t.Fatalf("attempt %d: %s, want less than %s", tt.attempts, d, tt.span)
			}
			low, high = min(low, d), max(high, d)
		}
		// Full jitter: of a thousand some are near either end, but once in 10^45.
		if low > tt.span/10 || high < tt.span*9/10 {
			t.Errorf("attempt %d: got spans from %s to %s, want them spread from 0 to %s", tt.attempts, low, high, tt.span)
		}
	}
}
