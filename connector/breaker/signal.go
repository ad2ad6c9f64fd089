package breaker

import (
	"context"
	"sync"
	"time"
)

// A Signal wakes every goroutine that waits for it. A waiter first calls Raised and then looks for
// work, so that a signal raised between the two is not lost.
type Signal struct {
	mu      sync.Mutex
	raised  chan struct{}
	awaited bool // a waiter has the present channel
}

// NewSignal makes a Signal.
func NewSignal() *Signal { return &Signal{raised: make(chan struct{})} }

// Raised returns a channel that the next Raise closes.
func (s *Signal) Raised() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.awaited = true
	return s.raised
}

// Raise wakes the waiters.
func (s *Signal) Raise() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.awaited {
		return
	}
	s.awaited = false
	close(s.raised)
	s.raised = make(chan struct{})
}

// mostSignals is how many signals one Sleep can wait for.
const mostSignals = 4

// Sleep waits for a span, for the first of up to four signals, or for the end of ctx. A nil signal
// never comes.
func Sleep(ctx context.Context, d time.Duration, signals ...<-chan struct{}) {
	var s [mostSignals]<-chan struct{}
	if copy(s[:], signals) < len(signals) {
		panic("breaker: Sleep waits for four signals at most")
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-s[0]:
	case <-s[1]:
	case <-s[2]:
	case <-s[3]:
	}
}
