package breaker

import (
	"hash/maphash"
	"math/rand/v2"
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

// Backoff is a random span between zero and a bound. The bound is FirstBackoff for the first
// attempt and doubles with each, up to most: full jitter, so that publications that failed together
// are not tried together.
func Backoff(attempts int, most time.Duration) time.Duration {
	return time.Duration(rand.Int64N(int64(span(attempts, most))))
}

// BackoffOf is the Backoff of one publication. It is the same each time for the same attempt, since
// a function that changes an entry of the store may run twice.
func BackoffOf(id string, attempts int, most time.Duration) time.Duration {
	drawn := maphash.Comparable(seed, draw{id, attempts})
	return time.Duration(drawn % uint64(span(attempts, most)))
}

type draw struct {
	id      string
	attempt int
}

var seed = maphash.MakeSeed()

func span(attempts int, most time.Duration) time.Duration {
	return min(FirstBackoff<<min(max(attempts-1, 0), 20), most)
}

// Waiters counts the runs that somebody waits for. Retries are quick meanwhile. The zero value
// counts none.
type Waiters struct{ n atomic.Int32 }

// Join adds a run, and leave removes it.
func (w *Waiters) Join() (leave func()) {
	w.n.Add(1)
	return func() { w.n.Add(-1) }
}

// Any reports whether somebody waits for a run.
func (w *Waiters) Any() bool { return w.n.Load() > 0 }

// MaxBackoff is the bound of Backoff now.
func (w *Waiters) MaxBackoff() time.Duration {
	if w.Any() {
		return HastyBackoff
	}
	return MaxBackoff
}
