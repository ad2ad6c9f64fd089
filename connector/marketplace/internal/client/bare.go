package client

import (
	"errors"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
)

const (
	// how often one call is sent again at most after refusals without figures; the waits between
	// double
	mostBare = 5
	bareSpan = 20 * time.Second // after the first of them, in which it is sent again
)

// Bare reports whether err is a refusal for want of points that says neither what is left nor when
// to come back. The pacer waits for it no longer than the points of the request take to be
// restored, so its caller does not give it up: it would be made again with a backoff of seconds.
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
