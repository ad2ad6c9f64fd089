package publication

import (
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// An event is how one look at a publication ended.
type event struct {
	kind    eventKind
	err     *shopadapter.Error // of eventFailed and eventWaiting: who can mend it
	until   time.Time          // of eventWaiting: the wait ends then; zero: it does not
	gone    bool               // of eventFailed: the listing was deleted by hand
	why     string             // of eventUnsellable: why it is
	hidden  bool               // of eventFailed: the listing was taken out of sale by hand
	content []byte             // of eventFailed: a hash of the content that met it
	draft   bool               // of eventPublished: it is not on sale, as it was to be
	images  bool               // of eventPublished: the images were written
	missing []store.Picture    // of eventPublished: these could not be shown
	// of eventUnchanged and eventPublished: groups that could not be read and stay owed
	unread shopadapter.Fields
}

type eventKind int

const (
	eventUnchanged  eventKind = iota // nothing to write
	eventStands                      // its problem stays: nothing has changed that could mend it
	eventPublished                   // the shop holds it
	eventFailed                      // the shop, or the rules, refused it, or failed
	eventWaiting                     // the marketplace does not show all of it yet
	eventRemovable                   // it must leave the shop: the brake is to judge that
	eventWithdrawn                   // it has left the shop
	eventUnsellable                  // it is off sale until something of it can be bought
)

// next is what a look leads to: the record, and when to look again.
func (p Settings) next(r store.Record, e event, now time.Time) store.Settlement {
	s := store.Settlement{Record: r}
	switch e.kind {
	case eventUnchanged, eventPublished:
		s.Record.Problem, s.Record.UntitledSince = store.Problem{}, 0
		s.Record.Removal = store.Removal{}
		endAttempt(&s.Record)
		s.Record.Attempted, s.Record.Reset = r.Attempted&e.unread, r.Reset&e.unread
		if e.kind == eventPublished {
			s.Record.OnSale, s.Record.Draft = !e.draft, e.draft
			s.Record.WrittenAt = store.At(now)
		}
		if e.images {
			pictured(&s.Record, e.missing, now)
		}
		s.Next = p.idle(s.Record, now)
	case eventWithdrawn:
		s.Record.Draft = false
		s.Record.Problem, s.Record.UntitledSince, s.Record.Unsellable = store.Problem{}, 0, ""
		s.Record.Holds, s.Record.Approved, s.Record.Declined = nil, nil, nil
		s.Record.OnSale = false
		forgetPictures(&s.Record)
		forgetDrift(&s.Record)
		s.Record.Reset = 0
		endAttempt(&s.Record)
		s.Record.Removal = store.Removal{Reason: r.Removal.Reason, At: store.At(now), Done: true}
		s.Removed = r.OnSale
		if !Gone(s.Record) {
			s.Next = p.refresh(s.Record, now)
		}
	case eventUnsellable:
		s.Record = unsold(s.Record, e.why)
		s.Next = p.refresh(s.Record, now)
	case eventStands:
		if !Gone(s.Record) {
			s.Next = p.refresh(s.Record, now)
		}
	case eventRemovable:
		s.Record.Problem, s.Record.UntitledSince = store.Problem{}, 0
		s.Next = p.refresh(s.Record, now)
	case eventWaiting:
		s.Record.Problem = p.again(r.Problem, store.ProblemWaiting, e, now)
		s.Next = p.waits(s.Record.Problem, e, now)
	case eventFailed:
		p.failed(&s, e, now)
	}
	s.Record.State = StateOf(s.Record)
	return s
}

// MaxRetryAfter is the longest Retry-After that is obeyed: a wrong date must not pause a shop for
// years.
const MaxRetryAfter = 24 * time.Hour

// failed is what a look leads to that the shop or the rules refused, or that failed.
func (p Settings) failed(s *store.Settlement, e event, now time.Time) {
	r := &s.Record
	switch e.err.Kind {
	case shopadapter.Rejected:
		r.Problem = p.again(r.Problem, store.ProblemRejected, e, now)
		if r.Open = false; !r.OnSale {
			r.Sent = nil
		}
		s.Next = p.refresh(*r, now)
	case shopadapter.Blocked:
		r.Problem = p.again(r.Problem, store.ProblemBlocked, e, now)
		s.Next = p.refresh(*r, now)
	default: // every other kind is transient
		r.Problem = p.again(r.Problem, store.ProblemTransient, e, now)
		delay := p.Backoff(r.Problem.Attempts)
		if e.err.RetryAfter > 0 {
			delay = min(e.err.RetryAfter, MaxRetryAfter)
		}
		class := store.ClassSweep
		switch {
		case r.Problem.Attempts == 1: // the first retry comes soon
			class = store.ClassHook
		case r.ShopID == "":
			class = store.ClassNew
		}
		s.Next = &store.Mark{Class: class, Cause: store.CauseRetry, At: store.At(now.Add(delay))}
	}
	if e.gone || e.hidden {
		r.OnSale, r.Draft, r.Sent = false, false, nil
		forgetPictures(r)
	}
	if e.hidden { // nothing was written
		endAttempt(r)
	}
	since := r.Problem.Since.Time()
	r.Problem.Overdue = !r.OnSale && r.Unsellable == "" && r.Problem.Kind != store.ProblemRejected &&
		now.Sub(since) >= p.FailAfter
}

// again counts one more attempt that met a problem. A change between transient and blocked keeps
// Since: both wait for the shop. Any other change of kind begins anew.
func (p Settings) again(before store.Problem, kind store.ProblemKind, e event, now time.Time) store.Problem {
	after := store.Problem{
		Kind:     kind,
		Attempts: 1,
		Since:    store.At(now),
		Last:     store.At(now),
		Gone:     e.gone,
		Hidden:   e.hidden,
		Content:  e.content,
	}
	if e.err != nil {
		after.Message = e.err.Error()
		after.Wide = e.err.ShopWide
	}
	if before.Kind == kind || waitsForShop(before.Kind) && waitsForShop(kind) {
		after.Since = before.Since
	}
	if before.Kind == kind {
		after.Attempts = before.Attempts + 1
	}
	return after
}

// refresh is the mark for reading the content again: after RefreshAfter, or now where a part of it
// is still to be read. A reading in the future counts as one of now: the clock was set back since,
// and a wrong clock must not put off the next reading for years.
func (p Settings) refresh(r store.Record, now time.Time) *store.Mark {
	if r.RemainderSince != 0 {
		return &store.Mark{Class: store.ClassFull, Cause: store.CauseRemainder, At: r.RemainderSince}
	}
	read := min(max(r.ReadAt, r.FiguresAt), store.At(now))
	return &store.Mark{
		Class: store.ClassRefresh, Cause: store.CauseRefresh, At: store.At(read.Time().Add(p.RefreshAfter)),
	}
}

// waitingDelay grows from a minute to four hours: each look costs points, and a sweep finds the
// entry when it changes.
func waitingDelay(attempts int) time.Duration {
	return min(time.Minute<<min(max(attempts-1, 0), 8), 4*time.Hour)
}

// idle is the mark of a publication without a problem: for its late pictures, or for reading the
// content again. Late pictures come after the supplier's changes.
func (p Settings) idle(r store.Record, now time.Time) *store.Mark {
	refresh := p.refresh(r, now)
	if r.LateAt == 0 || r.LateAt > refresh.At || r.RemainderSince != 0 {
		return refresh
	}
	return &store.Mark{Class: store.ClassFull, Cause: store.CausePictures, At: r.LateAt}
}
