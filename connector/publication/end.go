package publication

import (
	"fmt"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// An Outcome is how the shop answered a call. Its texts are already cut to the length that is kept.
type Outcome struct {
	Listing shopadapter.Listing // of Publish and Figures; beside an error it is what is known so far
	Note    string              // of Offline and Delete: what the shop did instead, "" where it did that
	Err     error               // as the adapter gave it
}

// Ended applies the end of a step to the record as it is now. attempt is the number that Begun gave,
// 0 of a step that called nothing: where the record's open attempt is another, a later one knows
// better. It takes away only what its step carried; what came since leads to another look.
func (s *Settings) Ended(e *store.Entry, attempt uint64, st Step, out Outcome, now time.Time) {
	r := &e.Record
	if st.Calls() && (r.Attempt.No != attempt || r.Attempt.Until == 0) {
		return
	}
	if st.in.Read != nil || st.in.Gone {
		takeHint(e, st.in)
	}
	if st.stands == forgotten && (e.Mark == nil || e.Mark.Gen == st.in.Mark.Gen) {
		e.Forget, e.Leave, e.Mark = true, r.ReportedAt != 0, nil
		return
	}
	holds, wasOnSale := r.Holds, r.Sale == store.OnSale
	if !st.Calls() {
		st.take(r)
	} else {
		r.Holds = st.holdsBeside(r.Holds)
	}
	switch {
	case st.Do == Publish || st.Do == Figures:
		s.published(e, st, out, now)
	case st.Calls(), st.stands == left, st.stands == soldOut:
		s.wentOff(e, st, out, wasOnSale, now)
	case st.stands != settled:
		s.stood(e, st, now)
	case st.Refusal != nil:
		s.failed(e, st, st.Refusal, now)
	default:
		s.settled(e, st, shopadapter.Listing{}, now)
	}
	if r.Unread != "" && r.Unread != st.in.Rec.Unread {
		note(e, "the marketplace gives what cannot be read: "+r.Unread, now)
	}
	lag(e, st, now)
	s.clip(e, now)
	tellHeld(e, holds, now)
	restate(e, now)
	owe(e, now)
}

func takeHint(e *store.Entry, in Input) {
	if e.Hint != nil && e.Hint.Gen <= in.Hint {
		e.Hint = nil
	}
}

// holdsBeside is the holds of a step with the verdicts as they are now, and those that came since.
func (st Step) holdsBeside(now []store.Hold) []store.Hold {
	was, out := st.in.Rec.Holds, slices.Clone(st.rec.Holds)
	for i, h := range out {
		if at := slices.IndexFunc(now, h.Same); at >= 0 {
			out[i].Verdict, out[i].By = now[at].Verdict, now[at].By
		} else if slices.ContainsFunc(was, h.Same) { // asked again meanwhile
			out[i].Verdict, out[i].By = "", ""
		}
	}
	return append(out, without(now, func(h store.Hold) bool {
		return slices.ContainsFunc(was, h.Same) || slices.ContainsFunc(st.rec.Holds, h.Same)
	})...)
}

// stood ends a look after which the shop, and what it has met, stays as it is.
func (s *Settings) stood(e *store.Entry, st Step, now time.Time) {
	r := &e.Record
	next := s.refresh(*r, now)
	switch p := &r.Problem; st.stands {
	case noted:
		if next = s.idle(*r, now); st.Refusal != nil {
			p.Message, next = st.Refusal.Error(), s.refresh(*r, now)
		}
	case overdue:
		if p.Kind == "" {
			*p = problem(store.ProblemTransient, st.in.Shut, now)
			p.Wide, p.Since = true, r.ListedAt
		}
		p.Overdue = true
		next = st.in.Mark
		next.Tries++
		next.At = store.At(now.Add(s.Backoff(r.ID, next.Tries)))
	case found: // the brake is to judge it, see Brake.Removals
		removal := r.Removal
		if removal.Reason == "" {
			removal = store.Removal{At: store.At(st.in.Now)}
		}
		removal.Reason = st.Removal
		toBeRemoved(r, removal)
	case hidden:
		hide(r, now)
		note(e, "taken out of sale in the shop by hand, before the store was lost", now)
	default:
		if p.Kind == store.ProblemRejected && r.Sale == store.OnSale {
			r.Attempt.Lost = false
		} else if st.stands == cleared {
			*p = store.Problem{}
		}
	}
	if Tombstone(*r) && st.stands != noted && st.stands != overdue {
		e.Mark = nil // only the list brings it back
		return
	}
	again(e, st, next)
}

const soldOutText = "it is sold out, and PUBSYNC_ON_SOLD_OUT=hide keeps it off sale until the supplier has some"

// wentOff ends a step that takes a listing out of sale: its entry is gone or has nothing to show, it is
// sold out, or what it has by now cannot be written.
func (s *Settings) wentOff(e *store.Entry, st Step, out Outcome, wasOnSale bool, now time.Time) {
	r := &e.Record
	if st.Removal != "" {
		r.Removal.Reason = st.Removal
	}
	if out.Err != nil {
		s.stayedOn(e, st, out.Err, wasOnSale, now)
		return
	}
	note(e, out.Note, now)
	switch {
	case st.Removal != "":
		told := store.Event{At: store.At(now), What: "withdrawn: " + string(st.Removal)}
		for _, h := range r.Holds {
			if isRemoval(h) && h.Verdict == store.Approved {
				told.By = h.By
			}
		}
		e.Tell(told)
		if st.Do == Delete {
			r.ShopID, r.ShopState, r.URL, r.URLListed, r.WrittenAt = "", nil, "", false, 0
		}
		r.Sale, r.Problem, r.Holds, r.UntitledSince, r.Reset = store.Off, store.Problem{}, nil, 0, 0
		forgetSeen(r)
		endAttempt(r)
		r.Pictures, r.Dirty, r.Claims = store.Pictures{}, 0, nil
		r.Removal = store.Removal{Reason: st.Removal, At: store.At(now), Done: true}
		if e.Removed = wasOnSale; Tombstone(*r) {
			e.Mark = nil // only the list brings it back
			return
		}
		again(e, st, s.refresh(*r, now))
	case st.stands == soldOut:
		if wasOnSale {
			note(e, store.WhatOffSale+": "+soldOutText, now)
		}
		r.Problem, r.UntitledSince, r.Sale = store.Problem{}, 0, store.SoldOut
		forgetSeen(r)
		endAttempt(r)
		again(e, st, s.refresh(*r, now))
	default:
		endAttempt(r)
		if wasOnSale { // it is written whole when it comes back
			r.Sale, r.Dirty = store.Off, shopadapter.AllFields
			note(e, "taken out of sale: the supplier has another price or fewer pieces by now, and what it has cannot be "+
				"written", now)
		} else if st.Refusal.Kind == shopadapter.Transient { // it was never seen on sale
			r.WrittenAt, r.Dirty = 0, 0
		}
		s.failed(e, st, st.Refusal, now)
	}
}

// stayedOn ends a step that could not take a listing out of sale.
func (s *Settings) stayedOn(e *store.Entry, st Step, err error, wasOnSale bool, now time.Time) {
	why := shopadapter.Explain(err)
	switch {
	case st.Removal != "" || st.stands == soldOut:
	case wasOnSale && why.Kind != shopadapter.Transient: // the shop would refuse it again
		returnAttempt(&e.Record, store.ProblemBlocked, st.in.Rec)
		why = st.Refusal
	case wasOnSale:
		why = shopadapter.Retry(
			"the version on sale has other figures than the supplier, and could not be taken out of sale: %w", err)
	default:
		why = shopadapter.Retry("what an earlier attempt may have put on sale is still there: %w", err)
	}
	s.failed(e, st, why, now)
}

func problem(kind store.ProblemKind, message string, now time.Time) store.Problem {
	return store.Problem{Kind: kind, Message: message, Since: store.At(now), Last: store.At(now)}
}

// failed ends a look that the shop or our rules refused, that failed, or that waits.
func (s *Settings) failed(e *store.Entry, st Step, why *shopadapter.Error, now time.Time) {
	r := &e.Record
	kind := store.ProblemTransient
	switch {
	case why.Kind == shopadapter.Rejected:
		kind = store.ProblemRejected
	case why.Kind == shopadapter.Blocked:
		kind = store.ProblemBlocked
	case why == st.Refusal:
		kind = store.ProblemWaiting
	}
	if st.Calls() && st.Refusal != why {
		returnAttempt(r, kind, st.in.Rec)
	} else if kind == store.ProblemRejected && r.Sale != store.OnSale {
		r.Attempt.Lost = false
		clearSent(r)
	}
	was := r.Problem
	r.Problem = problem(kind, why.Error(), now)
	r.Problem.Wide = why.ShopWide
	tries := 1
	if was.Kind == kind || st.Do == Offline { // which follows on a write that was refused
		tries = st.in.Mark.Tries + 1
	}
	if was.Kind == kind || waitsForShop(was.Kind) && waitsForShop(kind) {
		r.Problem.Since = min(was.Since, store.At(now))
	}
	if isRefusal(kind) && why == st.Refusal && len(st.Product.Variants) > 0 {
		r.Problem.Content = st.content
	}
	r.Problem.Overdue = s.isOverdue(*r, now)
	note(e, why.Kind.String()+": "+why.Error(), now)
	again(e, st, s.retry(*r, why, tries, st, now))
}

// Unreadable settles a look whose reading failed for a reason of the publication's own.
func (s *Settings) Unreadable(e *store.Entry, in Input, why *shopadapter.Error, now time.Time) {
	takeHint(e, in) // another try comes
	s.failed(e, Step{in: in, rec: in.Rec}, why, now)
	s.clip(e, now)
	restate(e, now)
	owe(e, now)
}

// Stopped records that a call was cancelled after so long.
func Stopped(e *store.Entry, took time.Duration, now time.Time) {
	note(e, fmt.Sprintf("stopped: the shop had not come to an end after %s", took.Round(time.Second)), now)
}
