package run

import (
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/worker"
)

// A patience is how long a run waits for transient errors.
type patience struct {
	from time.Time // the beginning of the run
	span time.Duration
}

// lasts reports whether there is patience for trouble that began at a time.
func (p patience) lasts(since, now time.Time) bool { return now.Sub(later(since, p.from)) <= p.span }

// bears reports whether there is patience for a pause. For one that the other side set there is
// where it ends in time.
func (p patience) bears(s breaker.Status, now time.Time) bool {
	switch {
	case !s.Open:
		return true
	case s.Firm && !s.Checkable():
		return s.Until.Sub(later(s.Since, p.from)) <= p.span
	default:
		return p.lasts(s.Since, now)
	}
}

// callEnd(begun) is the deadline of a call that began then: the end of the patience. A call that
// began late gets half the patience anew, since a product with many pictures takes long.
func (p patience) callEnd(begun time.Time) time.Time {
	return later(p.from.Add(p.span), begun.Add(max(p.span/2, worker.MinCall)))
}

// spent reports whether the patience with the shop is over, whose calls have all failed since a
// time, zero for none.
func (p patience) spent(failing, now time.Time) bool {
	return !failing.IsZero() && !p.lasts(failing, now)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
