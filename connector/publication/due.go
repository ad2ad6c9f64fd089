package publication

import (
	"time"

	"github.com/pubsync/pubsync/store"
)

// The least time between two looks at one publication that webhooks lead to.
const (
	SignedGap   = 10 * time.Second
	UnsignedGap = time.Minute
)

// Wakes reports whether a mark that is not due yet is for another try, and was not put off because
// webhooks came too close together.
func Wakes(m store.Mark, now store.Instant) bool {
	switch {
	case m.Class == store.ClassRefresh:
		return m.Cause&store.CauseRetry != 0
	case m.Cause == store.CausePictures:
		return wakesPictures(m, now)
	case m.At > now+store.Instant(UnsignedGap.Milliseconds()): // by a clock that has been set back since
		return true
	default:
		return m.Cause&^(store.CauseSigned|store.CauseUnsigned) != 0
	}
}

// unblockGap, times the tries so far, is how long a publication that is blocked by itself waits for
// another try: each costs a reading.
const unblockGap = time.Hour

// Unblocks is the mark of a publication that is tried again because the shop's check has passed,
// nil for none. Publications are tried again that the shop refused with everything else, and now
// and then those blocked by themselves. A listing that was deleted or taken out of sale by hand
// stays so.
func Unblocks(r store.Record, now time.Time) *store.Mark {
	p := r.Problem
	gap := unblockGap * time.Duration(min(p.Attempts, 24))
	if p.Kind != store.ProblemBlocked || p.Gone || p.Hidden || !p.Wide && now.Sub(p.Last.Time()) <= gap {
		return nil
	}
	return &store.Mark{ID: r.ID, Class: store.ClassSweep, Cause: store.CauseRetry, At: store.At(now)}
}
