package client

import (
	"errors"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
)

const (
	// mostBare is how often one call is repeated at most after refusals without a figure. The waits
	// in between double.
	mostBare = 5
	// bareSpan is how long after the first of them it is repeated.
	bareSpan = 20 * time.Second
)

// Bare reports whether err is a refusal for want of points that says neither what is left nor when
// to come back. The pacer then waits until the points of the request are restored. So the call is
// repeated here; its caller would repeat it with a backoff of seconds.
func Bare(err error) bool {
	e, ok := errors.AsType[*fault.Error](err)
	return ok && e.Bare
}

// Retries are those of one call after refusals without figures.
type Retries struct {
	n     int
	begun time.Time
}

// Again reports whether the call is sent again after err, and counts it.
func (r *Retries) Again(err error) bool {
	if !Bare(err) || r.n >= mostBare || r.n > 0 && time.Since(r.begun) > bareSpan {
		return false
	}
	if r.n++; r.n == 1 {
		r.begun = time.Now()
	}
	return true
}
