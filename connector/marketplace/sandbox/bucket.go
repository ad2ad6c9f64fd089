package sandbox

import (
	"math"
	"sync"
	"time"
)

// A bucket is the cost budget of one app: spent points come back at a steady rate, up to its size.
type bucket struct {
	mu        sync.Mutex
	limit     float64
	rate      float64 // points a second
	remaining float64
	at        time.Time // of remaining; zero before the first look
}

func newBucket(limit int, rate float64) *bucket {
	return &bucket{limit: float64(limit), rate: rate, remaining: float64(limit)}
}

// charge removes cost where the bucket holds that much. Else it removes nothing, and wait says how
// long until it would.
func (b *bucket) charge(cost int) (wait time.Duration, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refill()
	if missing := float64(cost) - b.remaining; missing > 0 {
		return time.Duration(math.Ceil(missing / b.rate * float64(time.Second))), false
	}
	b.remaining -= float64(cost)
	return 0, true
}

// refund gives back points that were charged and not used.
func (b *bucket) refund(cost int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refill()
	b.remaining = min(b.remaining+float64(cost), b.limit)
}

// spend removes points as another client of the same app would, as far as there are any.
func (b *bucket) spend(cost int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refill()
	b.remaining = max(b.remaining-float64(cost), 0)
}

// level is what remains, in whole points.
func (b *bucket) level() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refill()
	return int(b.remaining)
}

func (b *bucket) refill() {
	now := time.Now()
	if !b.at.IsZero() {
		// A clock that is set back restores no points, and removes none.
		b.remaining = min(b.remaining+max(now.Sub(b.at), 0).Seconds()*b.rate, b.limit)
	}
	b.at = now
}
