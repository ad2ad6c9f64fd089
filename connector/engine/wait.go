package engine

import (
	"context"
	"hash/maphash"
	"math/rand/v2"
	"sync"
	"time"
)

// Spans of backoff.
const (
	FirstBackoff = 1500 * time.Millisecond // the first retry begins within two seconds
	MaxBackoff   = 10 * time.Minute        // the longest
	HastyBackoff = 5 * time.Second         // the longest while somebody waits for a run
	Idle         = time.Minute             // the sleep of a loop that waits for a signal alone
)

// Backoff returns a random span with full jitter. Its bound is FirstBackoff at first, and doubles with each
// attempt up to most.
func Backoff(attempts int, most time.Duration) time.Duration {
	return time.Duration(rand.Int64N(int64(span(attempts, most))))
}

// backoffOf is Backoff for a publication, the same each time: a transaction may run twice.
func backoffOf(id string, attempts int, most time.Duration) time.Duration {
	drawn := maphash.Comparable(seed, struct {
		id      string
		attempt int
	}{id, attempts})
	return time.Duration(drawn % uint64(span(attempts, most)))
}

var seed = maphash.MakeSeed()

func span(attempts int, most time.Duration) time.Duration {
	return min(FirstBackoff<<min(max(attempts-1, 0), 20), most)
}

// MaxBackoff returns the bound of Backoff now: retries are quick while somebody waits for a run.
func (x *Engine) MaxBackoff() time.Duration {
	if x.awaited.Load() > 0 {
		return HastyBackoff
	}
	return MaxBackoff
}

// A Signal wakes all that wait for it. A waiter calls Raised before it looks for work, so that no signal is
// lost.
type Signal struct {
	mu     sync.Mutex
	raised chan struct{} // nil: nobody waits
}

// Raised returns a channel that the next Raise closes.
func (s *Signal) Raised() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.raised == nil {
		s.raised = make(chan struct{})
	}
	return s.raised
}

// Raise wakes the waiters.
func (s *Signal) Raise() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.raised != nil {
		close(s.raised)
		s.raised = nil
	}
}

const mostSignals = 3

// Sleep waits for a span, for one of up to three signals, or for the end of ctx.
func Sleep(ctx context.Context, d time.Duration, signals ...<-chan struct{}) {
	var s [mostSignals]<-chan struct{} // a nil channel is never ready
	if copy(s[:], signals) < len(signals) {
		panic("engine: Sleep waits for three signals at most")
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-s[0]:
	case <-s[1]:
	case <-s[2]:
	}
}

func enter(ctx context.Context, tokens chan struct{}) (leave func(), err error) {
	select {
	case tokens <- struct{}{}:
		return func() { <-tokens }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// beside runs f until stop is called.
func beside(ctx context.Context, f func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(ctx)
	}()
	return func() {
		cancel()
		<-done
	}
}
