package breaker

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
					s := NewSignal()
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
