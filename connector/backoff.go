package connector

import (
	"math/rand/v2"
	"time"
)

const (
	backoffFirst = 1500 * time.Millisecond // the first retry comes within two seconds, with what it takes to begin
	backoffMost  = 10 * time.Minute        // what the span grows to
	backoffOnce  = 5 * time.Second         // and while somebody waits for a run
)

// backoff is a random span between zero and a bound that doubles with each attempt: full jitter, so that what failed together is not tried
// together.
func backoff(attempts int, most time.Duration) time.Duration {
	span := min(backoffFirst<<min(max(attempts-1, 0), 20), most)
	return time.Duration(rand.Int64N(int64(span)))
}
