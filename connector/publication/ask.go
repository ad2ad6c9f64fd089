package publication

import (
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Retry makes a publication due now, whatever it waits for. What a person declined of it is asked
// again. reset also replaces the merchant's edits by what the supplier has. by names the person.
func Retry(s *store.Settlement, class store.Class, reset bool, by string, now time.Time) {
	recordRetried(&s.Record, reset, by, now)
	askAgain(&s.Record, now)
	if reset {
		s.Record.Reset = s.Record.Kept | shopadapter.TextFields
		s.Record.Repictured = false
	}
	try(s, class, now)
}

// try makes a publication due now, since a person asked for it.
func try(s *store.Settlement, class store.Class, now time.Time) {
	s.Next = &store.Mark{Class: class, Cause: store.CauseAsked, At: store.At(now)}
}

// Failed are the states that "failed" means to a person who asks for another try.
func Failed() []store.State {
	return []store.State{store.StateRejected, store.StateBlocked, store.StatePending, store.StatePartial}
}

// RetryFailed makes a publication due that is in one of those states, and has a refused report made
// again. What a person declined stays declined. It reports whether there is something to write.
// by names the person.
func RetryFailed(s *store.Settlement, owed *store.Report, by string, now time.Time) bool {
	return tryTogether(s, owed, slices.Contains(Failed(), s.Record.State), by, now)
}

// RetryTogether makes a publication due that is in whatever state but held, and has a refused report made again, as
// RetryFailed does for fewer.
func RetryTogether(s *store.Settlement, owed *store.Report, by string, now time.Time) bool {
	return tryTogether(s, owed, s.Record.State != store.StateHeld, by, now)
}

// tryTogether makes a publication due among many, where it is meant.
func tryTogether(s *store.Settlement, owed *store.Report, meant bool, by string, now time.Time) bool {
	again := RemakeReport(s, owed)
	if !meant {
		return again
	}
	recordRetried(&s.Record, false, by, now)
	try(s, Together(s.Record), now)
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

// Approve lets through the held changes that a person chose, at the values that are shown. by
// names the person. It reports whether there are any.
func Approve(s *store.Settlement, chosen Choice, class store.Class, by string, now time.Time) (found bool) {
	r := &s.Record
	let := only(r.Holds, func(h store.Hold) bool { return chosen.Has(*r, h) })
	told := let
	// all that the changed rules will hold at the next look, too
	if chosen.takesRules(*r) {
		r.Unasked, r.Ruling, found = false, store.RulingApproved, true
		if len(let) == 0 {
			told = []store.Hold{{Kind: store.HoldRules}}
		}
	}
	RecordVerdict(r, store.EventApproved, told, by, now)
	for _, h := range let {
		found = true
		switch {
		case h.Kind == store.HoldRemoval:
			letGo(s, now)
			s.Next.Class = class
		case h.Kind == store.HoldRules && Repriceable(*r): // without a reading
			r.Approved = append(r.Approved, h)
			s.Next = &store.Mark{Class: store.ClassRules, Cause: store.CauseRules, At: store.At(now)}
		default:
			r.Approved = append(r.Approved, h)
			try(s, class, now)
		}
	}
	if found {
		r.ApprovedBy = joinNames(r.ApprovedBy, by)
	}
	restate(r, r.State, now)
	return found
}
