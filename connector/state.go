package connector

import (
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// State is where a publication stands. It is in exactly one: the first of these that fits.
type State string

// The states, in the order in which they are tried.
const (
	StateBlocked   State = "blocked"   // the merchant must do something in the shop or the settings; tried again when asked, or when the shop's check passes
	StateRejected  State = "rejected"  // the shop refuses it as the supplier gives it; tried again when that changes, or when asked
	StateHeld      State = "held"      // a brake holds a change, the rest is made; tried again when approved, or when it is taken back upstream
	StatePending   State = "pending"   // not settled: new, or a transient error; tried again at once, then with backoff
	StatePartial   State = "partial"   // on sale, some variants refused; tried again when the supplier changes it
	StateLive      State = "live"      // on sale, as last read; tried again when it changes
	StateWithdrawn State = "withdrawn" // gone from the import list and out of sale; comes back when it is listed again
)

// States lists them in the order in which they are tried.
var States = []State{StateBlocked, StateRejected, StateHeld, StatePending, StatePartial, StateLive, StateWithdrawn}

// The kinds of problem that keep a publication from being settled.
const (
	problemTransient = "transient" // time mends it
	problemRejected  = "rejected"  // the supplier mends it
	problemBlocked   = "blocked"   // the merchant mends it
	problemWaiting   = "waiting"   // the marketplace has nothing to show yet
)

// Why a publication leaves the shop.
const (
	removalAbsent     = "absent"      // gone from the import list
	removalNoListing  = "no-listing"  // the entry has no listing
	removalNoVariants = "no-variants" // the listing has no variant
)

// stateOf derives the state from what is known. It is the one place where the order of the states is written down.
func stateOf(r store.Record) State {
	switch {
	case r.Problem.Kind == problemBlocked:
		return StateBlocked
	case r.Problem.Kind == problemRejected:
		return StateRejected
	case len(r.Holds) > 0:
		return StateHeld
	case r.Problem.Kind != "":
		return StatePending
	case r.Removal.Done:
		return StateWithdrawn
	case r.Removal.Reason != "", !r.OnSale:
		return StatePending
	case hasRefused(r):
		return StatePartial
	default:
		return StateLive
	}
}

func hasRefused(r store.Record) bool {
	for _, v := range r.Variants {
		if v.Refused != "" {
			return true
		}
	}
	return false
}

// An event is how one look at a publication ended.
type event struct {
	kind    eventKind
	err     *shopadapter.Error // of eventFailed: who can mend it
	gone    bool               // of eventFailed: the listing was deleted by hand
	content []byte             // of eventFailed: a hash of the content that met it
}

type eventKind int

const (
	eventUnchanged eventKind = iota // nothing to write
	eventStands                     // nothing changed that could mend the problem it has
	eventPublished                  // the shop holds it
	eventFailed                     // the shop, or the rules, did not take it
	eventWaiting                    // nothing to list, and nothing was on sale
	eventRemovable                  // it must leave the shop: to be judged by the brake
	eventWithdrawn                  // it has left the shop
)

// policy is the settings that decide what comes next.
type policy struct {
	failAfter    time.Duration
	refreshAfter time.Duration
	backoff      func(attempts int) time.Duration
}

// next is what a look leads to: the record as it settles, and when to look again. It is pure: the golden table in the tests holds every row.
func next(r store.Record, e event, now time.Time, p policy) store.Settlement {
	s := store.Settlement{Record: r}
	switch e.kind {
	case eventUnchanged, eventPublished:
		s.Record.Problem = store.Problem{}
		s.Record.Removal = store.Removal{}
		s.Record.Attempted, s.Record.Reset, s.Record.Open = 0, 0, false
		if e.kind == eventPublished {
			s.Record.OnSale = true
			s.Record.WrittenAt = store.At(now)
		}
		s.Next = p.refresh(s.Record)
	case eventWithdrawn:
		s.Record.Problem = store.Problem{}
		s.Record.Holds, s.Record.Approved = nil, nil
		s.Record.OnSale = false
		s.Record.Attempted, s.Record.Reset, s.Record.Open = 0, 0, false
		s.Record.Removal = store.Removal{Reason: r.Removal.Reason, At: store.At(now), Done: true}
		s.Removed = r.OnSale
		if !gone(s.Record) {
			s.Next = p.refresh(s.Record)
		}
	case eventStands:
		if !gone(s.Record) {
			s.Next = p.refresh(s.Record)
		}
	case eventRemovable:
		s.Record.Problem = store.Problem{}
		s.Next = p.refresh(s.Record)
	case eventWaiting:
		s.Record.Problem = p.again(r.Problem, problemWaiting, e, now)
		s.Next = &store.Mark{Class: store.ClassSweep, Cause: store.CauseRead, At: store.At(now.Add(waitingDelay(s.Record.Problem.Attempts)))}
	case eventFailed:
		p.failed(&s, e, now)
	}
	s.Record.State = string(stateOf(s.Record))
	return s
}

// gone reports whether the record is a tombstone of an entry that is not on the list: only the list brings it back.
func gone(r store.Record) bool { return r.Removal.Done && r.Removal.Reason == removalAbsent }

// failed settles a look that the shop or the rules did not take.
func (p policy) failed(s *store.Settlement, e event, now time.Time) {
	r := &s.Record
	switch e.err.Kind {
	case shopadapter.Rejected:
		r.Problem = p.again(r.Problem, problemRejected, e, now)
		r.Open = false
		s.Next = p.refresh(*r)
	case shopadapter.Blocked:
		r.Problem = p.again(r.Problem, problemBlocked, e, now)
		s.Next = p.refresh(*r)
	default: // whatever is not known is mended by time
		r.Problem = p.again(r.Problem, problemTransient, e, now)
		delay := p.backoff(r.Problem.Attempts)
		if e.err.RetryAfter > 0 {
			delay = e.err.RetryAfter
		}
		class := store.ClassSweep
		switch {
		case r.Problem.Attempts == 1: // the first retry comes soon, whatever else waits
			class = store.ClassHook
		case r.ShopID == "":
			class = store.ClassNew
		}
		s.Next = &store.Mark{Class: class, Cause: store.CauseRetry, At: store.At(now.Add(delay))}
	}
	if e.gone {
		r.OnSale = false
	}
	since := r.Problem.Since.Time()
	r.Problem.Overdue = !r.OnSale && r.Problem.Kind != problemRejected && now.Sub(since) >= p.failAfter
}

// again counts one more attempt that met a problem. Since starts anew only where the problem before was of a kind that counts for nothing here:
// transient and blocked errors are one long wait for whoever waits for the product.
func (p policy) again(before store.Problem, kind string, e event, now time.Time) store.Problem {
	after := store.Problem{Kind: kind, Attempts: 1, Since: store.At(now), Last: store.At(now), Gone: e.gone, Content: e.content}
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

func waitsForShop(kind string) bool { return kind == problemTransient || kind == problemBlocked }

// refresh is the mark for reading the content again when it has not been read for long.
func (p policy) refresh(r store.Record) *store.Mark {
	return &store.Mark{Class: store.ClassRefresh, Cause: store.CauseRefresh, At: store.At(r.ReadAt.Time().Add(p.refreshAfter))}
}

// waitingDelay grows from a minute to four hours: an entry without a listing costs a look each time, and a sweep sees it when it moves.
func waitingDelay(attempts int) time.Duration {
	return min(time.Minute<<min(max(attempts-1, 0), 8), 4*time.Hour)
}

// The statuses of a report.
const (
	statusSuccess = "success"
	statusFailed  = "failed"
)

// wanted is the status that the marketplace should hold, empty where there is nothing to say yet.
func wanted(r store.Record) (status, url string) {
	switch {
	case r.Removal.Done, r.Removal.Reason == removalAbsent: // nobody is there to be told
		return "", ""
	case r.OnSale:
		return statusSuccess, r.URL
	case r.Problem.Kind == problemRejected, r.Problem.Gone, r.Problem.Overdue:
		return statusFailed, ""
	default:
		return "", ""
	}
}

// owe puts into the settlement what the marketplace has yet to be told: nothing when it holds that already, when the same is owed already, or
// when it has refused the same.
func owe(s *store.Settlement, owed *store.Report, now time.Time) {
	status, url := wanted(s.Record)
	told := s.Record.Reported == status && (status != statusSuccess || s.Record.ReportedURL == url)
	switch {
	case s.Record.Removal.Reason == removalAbsent:
		s.Cancel = owed != nil
	case status == "":
		s.Cancel = owed != nil && owed.Status == statusSuccess // it is not true any longer
	case told, s.Record.Refused == status+" "+url:
		s.Cancel = owed != nil
	case owed != nil && owed.Status == status && owed.URL == url:
	default:
		s.Report = &store.Report{Status: status, URL: url, UpdatedAt: s.Record.UpdatedAt, Since: store.At(now)}
	}
}
