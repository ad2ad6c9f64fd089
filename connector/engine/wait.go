package engine

import (
	"context"
	"hash/maphash"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

// The spans of backoff.
const (
	FirstBackoff = 1500 * time.Millisecond // so that the first retry begins within two seconds
	MaxBackoff   = 10 * time.Minute        // the longest span
	HastyBackoff = 5 * time.Second         // the longest span while somebody waits for a run
	Idle         = time.Minute             // how long a loop sleeps that waits for nothing but a signal
)

// Backoff is a random span between zero and a bound. The bound is FirstBackoff for the first attempt
// and doubles with each, up to most: full jitter, so that what failed together is not tried together.
func Backoff(attempts int, most time.Duration) time.Duration {
	return time.Duration(rand.Int64N(int64(span(attempts, most))))
}

// backoffOf is the Backoff of one publication, the same each time for the same attempt: a transaction may run twice.
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

// Waiters counts the runs that somebody waits for. Retries are quick meanwhile.
type Waiters struct{ n atomic.Int32 }

// Join adds a run, and leave removes it.
func (w *Waiters) Join() (leave func()) {
	w.n.Add(1)
	return func() { w.n.Add(-1) }
}

// MaxBackoff is the bound of Backoff now.
func (w *Waiters) MaxBackoff() time.Duration {
	if w.n.Load() > 0 {
		return HastyBackoff
	}
	return MaxBackoff
}

// A Signal wakes every goroutine that waits for it. A waiter first calls Raised and then looks for
// work, so that a signal raised between the two is not lost.
type Signal struct {
	mu     sync.Mutex
	raised chan struct{}
}

// NewSignal makes a Signal.
func NewSignal() *Signal { return &Signal{raised: make(chan struct{})} }

// Raised returns a channel that the next Raise closes.
func (s *Signal) Raised() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.raised
}

// Raise wakes the waiters.
func (s *Signal) Raise() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.raised)
	s.raised = make(chan struct{})
}

// mostSignals is how many signals one Sleep can wait for.
const mostSignals = 3

// Sleep waits for a span, for the first of up to three signals, or for the end of ctx.
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

// enter waits for a place among tokens, which leave gives back.
func enter(ctx context.Context, tokens chan struct{}) (leave func(), err error) {
	select {
	case tokens <- struct{}{}:
		return func() { <-tokens }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// beside runs f until the function that it returns is called.
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
