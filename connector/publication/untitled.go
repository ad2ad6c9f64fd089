package publication

import (
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A listing is translated after its publication. One without a title in the wanted languages waits
// for it, and what is on sale stays. Each look costs a reading of content, and a sweep or a webhook
// shows a change sooner, so the looks become rare. After FailAfter the listing is rejected. A title
// ends the wait, and the rejection, at once.
const (
	untitledFirst = 5 * time.Minute // before the second look at a listing without a title
	untitledMost  = 6 * time.Hour
)

// untitledDelay grows from five minutes to six hours: about nine readings of content a day.
func untitledDelay(attempts int) time.Duration {
	return min(untitledFirst<<min(max(attempts-1, 0), 10), untitledMost)
}

// untitledSince is since when a listing has had no title, 0 where it has one. A time in the future
// does not count: the clock was set back since.
func untitledSince(before store.Instant, title string, now time.Time) store.Instant {
	switch {
	case title != "":
		return 0
	case before == 0, before > store.At(now):
		return store.At(now)
	default:
		return before
	}
}

// untitled is how a look ends at a listing without a title since r.UntitledSince: it waits for
// FailAfter, and is rejected from then on. why says what is missing.
func (p Settings) untitled(r store.Record, why *shopadapter.Error, now time.Time) event {
	until := r.UntitledSince.Time().Add(p.FailAfter)
	if !now.Before(until) {
		return event{kind: eventFailed, err: why}
	}
	return event{
		kind: eventWaiting, until: until,
		err: shopadapter.Retry(
			"%s: it may be translated yet, and is rejected after %s", why.Error(), until.UTC().Format(time.RFC3339),
		),
	}
}

// waits is the mark of a publication of which the marketplace does not show all yet.
func (p Settings) waits(problem store.Problem, e event, now time.Time) *store.Mark {
	at := now.Add(waitingDelay(problem.Attempts))
	if !e.until.IsZero() {
		at = now.Add(untitledDelay(problem.Attempts))
		if e.until.Before(at) {
			at = e.until
		}
	}
	return &store.Mark{Class: store.ClassSweep, Cause: store.CauseRead, At: store.At(at)}
}
