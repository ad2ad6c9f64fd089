package publication

import (
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

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
	case st.Refusal == nil:
		if wasOnSale {
			note(e, store.WhatOffSale+": "+soldOutText, now)
		}
		soldOut(r)
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

// soldOut has a listing that is off sale stay so until something of it can be bought.
func soldOut(r *store.Record) {
	r.Problem, r.UntitledSince, r.Sale = store.Problem{}, 0, store.SoldOut
	forgetSeen(r)
	endAttempt(r)
}

// stayedOn ends a step that could not take a listing out of sale.
func (s *Settings) stayedOn(e *store.Entry, st Step, err error, wasOnSale bool, now time.Time) {
	why := shopadapter.Explain(err)
	switch {
	case st.Refusal == nil:
	case wasOnSale && why.Kind != shopadapter.Transient: // the shop would refuse it again
		returnAttempt(&e.Record, store.ProblemBlocked, st.in.Rec)
		why = st.Refusal
	default:
		why = shopadapter.Retry("what is on sale, or may be, could not be taken out of sale: %w", err)
	}
	s.failed(e, st, why, now)
}
