package publication

import (
	"time"

	"github.com/pubsync/pubsync/store"
)

const (
	refusalFirst = 2 * time.Second
	// RefusalMost is the longest wait before a refused report is made again.
	RefusalMost = time.Hour
)

// RefusalDelay grows from two seconds to an hour with the refusals of a report.
func RefusalDelay(refusals int) time.Duration {
	return min(refusalFirst<<min(max(refusals-1, 0), 20), RefusalMost)
}

// RemadeAt is when a refused report is made again: when its backoff is over, or at once where all were
// woken since. A refusal in the future does not count: the clock was set back since.
func RemadeAt(o Report, woken, now time.Time) time.Time {
	if o.RefusedAt < store.At(woken) || o.RefusedAt > store.At(now) {
		return time.Time{}
	}
	return o.RefusedAt.Time().Add(RefusalDelay(o.Refusals))
}
