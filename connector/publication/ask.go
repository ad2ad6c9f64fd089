package publication

import (
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Retry makes a publication due now, whatever it waits for. reset also replaces the merchant's
// edits by what the supplier has.
func Retry(s *store.Settlement, class store.Class, reset bool, now time.Time) {
	if reset {
		s.Record.Reset = s.Record.Kept | shopadapter.TextFields
		s.Record.Repictured = false
	}
	s.Next = &store.Mark{Class: class, Cause: store.CauseAsked, At: store.At(now)}
}

// Failed are the states that "failed" means to a person who asks for another try.
func Failed() []store.State {
	return []store.State{store.StateRejected, store.StateBlocked, store.StatePending, store.StatePartial}
}

// RetryFailed makes a publication due that is in one of those states, and has a refused report made
// again. It reports whether there is something to write.
func RetryFailed(s *store.Settlement, owed *store.Report, now time.Time) bool {
	again := RemakeReport(s, owed)
	if !slices.Contains(Failed(), s.Record.State) {
		return again
	}
	Retry(s, Together(s.Record), false, now)
	return true
}

// Together is the class of a publication that a person asks for without naming it. There may be
// thousands: webhooks, and publications that are named by their ids, go before them.
func Together(r store.Record) store.Class {
	if r.ShopID == "" {
		return store.ClassNew
	}
	return store.ClassSweep
}

// Approve lets through the held changes of a kind, or with "" of any kind. by names the person. It
// reports whether there are any.
func Approve(s *store.Settlement, kind store.HoldKind, class store.Class, by string, now time.Time) (found bool) {
	r := &s.Record
	let := only(r.Holds, func(h store.Hold) bool { return kind == "" || h.Kind == kind })
	// all that the changed rules will hold at the next look, too
	if r.Unasked && (kind == "" || kind == store.HoldRules) {
		r.Unasked, found = false, true
		if len(let) == 0 {
			let = []store.Hold{{Kind: store.HoldRules}}
		}
	}
	RecordVerdict(r, store.EventApproved, let, by, now)
	for _, h := range r.Holds {
		if kind != "" && h.Kind != kind {
			continue
		}
		found = true
		if h.Kind == store.HoldRemoval {
			letGo(s, now)
			s.Next.Class = class
		} else {
			r.Approved = append(r.Approved, h)
			s.Next = &store.Mark{Class: class, Cause: store.CauseAsked, At: store.At(now)}
		}
	}
	if found {
		r.ApprovedBy = joinNames(r.ApprovedBy, by)
	}
	restate(r, r.State, now)
	return found
}
