package publication

import (
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// Overdue has the marketplace told of a publication that is not on sale and has met only errors of the
// shop for FailAfter; shut is why the shop cannot be used now, "" where it can. It reports whether there
// is something to write.
func (s *Settings) Overdue(e *Entry, shut string, now time.Time) bool {
	if !s.overdue(e.Record, shut, now) {
		return false
	}
	in, due := Input{Rec: e.Record, Mark: Mark{Class: ClassRules}, Shut: shut, Now: now}, e.Mark
	if due != nil {
		in.Mark = *due
		in.Mark.Seen = ""
	}
	s.Ended(e, 0, s.Decide(in), Outcome{}, now)
	if due != nil { // no look was made
		e.Mark = due
	}
	return true
}

// Unreadable settles a look whose reading failed for a reason of the publication's own.
func (s *Settings) Unreadable(e *Entry, in Input, why *shopadapter.Error, now time.Time) {
	if e.Hint != nil && e.Hint.Gen <= in.Hint { // another try comes
		e.Hint = nil
	}
	before := e.Record.State
	s.failed(e, Step{in: in}, why, now)
	s.clip(e, now)
	restate(e, before, now)
	owe(e, now)
}

// Removed reports whether a step takes a listing away because its entry cannot be in the shop.
func (st Step) Removed() bool { return st.Removal != "" && st.Calls() }

// FoundRemoval reports whether a removal is to be judged by the brake.
func (st Step) FoundRemoval() bool { return st.found }

// TakesOffSale reports whether a step takes off sale what is sold out.
func (st Step) TakesOffSale() bool { return st.soldOut && st.Calls() }

// Before is the record that the step was decided on.
func (st Step) Before() Record { return st.in.Rec }

// Lacks is what a step waits for, "" where the marketplace shows all.
func (st Step) Lacks() string {
	if st.Do == Wait && st.Refusal != nil {
		return st.Refusal.Error()
	}
	return ""
}

// OwesRest reports whether a step writes figures that were read alone, so that the rest of the change is
// still to be read.
func (st Step) OwesRest() bool { return st.in.Fresh && st.in.Mark.Class != ClassRefresh }

// Undone ends an attempt whose call was not made. It reports whether there is something to write.
func Undone(e *Entry, attempt uint64) bool {
	r := &e.Record
	if r.Attempt.No != attempt || r.Attempt.Until == 0 {
		return false
	}
	r.Dirty, r.Reset = r.Dirty|r.Attempt.Fields, r.Reset|r.Attempt.Reset
	r.Attempt.Until, r.Attempt.Fields, r.Attempt.Reset = 0, 0, 0
	if !r.Attempt.Lost {
		clearSent(r)
	}
	return true
}
