package publication

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// An Outcome is the shop's answer to a call, with its texts cut to what is kept.
type Outcome struct {
	Listing shopadapter.Listing // of Publish and Figures; with an error what is known so far
	Note    string              // of Offline and Delete: what the shop did instead; "": as asked
	Err     error
}

// Ended applies the end of a step to the record as it is now. attempt is Begun's number: if it is no longer open,
// a later step knows better, and this one does not count.
func (s *Settings) Ended(e *store.Entry, attempt uint64, st Step, out Outcome, now time.Time) {
	r := &e.Record
	if st.Calls() && (r.Attempt.No != attempt || r.Attempt.Until == 0) {
		return
	}
	if st.in.Read != nil || st.in.Gone {
		takeHint(e, st.in)
	}
	if st.Do == Forget && (e.Mark == nil || e.Mark.Gen == st.in.Mark.Gen) {
		e.Forget, e.Leave, e.Mark = true, r.ReportedAt != 0, nil
		return
	}
	holds, wasOnSale := r.Holds, r.Sale == store.OnSale
	if !st.Calls() {
		st.take(r)
	}
	switch {
	case st.Do == Publish || st.Do == Figures:
		s.published(e, st, out, now)
	case st.Calls(), st.Do == Leave:
		s.wentOff(e, st, out, wasOnSale, now)
	case st.Do == Stay, st.Do == Forget:
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
	coarse(e, st)
	tellHeld(e, holds, now)
	s.finish(e, now)
}

func takeHint(e *store.Entry, in Input) {
	if e.Hint != nil && e.Hint.Gen <= in.Hint {
		e.Hint = nil
	}
}

func (s *Settings) stood(e *store.Entry, st Step, now time.Time) {
	next := s.refresh(e.Record, now)
	if st.in.Read == nil && !st.in.Gone {
		next = s.idle(e.Record, now)
	} else if Tombstone(e.Record) {
		e.Mark = nil
		return
	}
	again(e, st, next)
}

func problem(kind store.ProblemKind, message string, now time.Time) store.Problem {
	return store.Problem{Kind: kind, Message: message, Since: store.At(now), Last: store.At(now)}
}

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
	if was.Kind == kind || st.Do == Offline { // it follows on a refused write
		tries = st.in.Mark.Tries + 1
	}
	if was.Kind == kind || waitsForShop(was.Kind) && waitsForShop(kind) {
		r.Problem.Since = min(was.Since, store.At(now))
	}
	if isRefusal(kind) && why == st.Refusal && len(st.Product.Variants) > 0 {
		r.Problem.Content = st.content
	}
	what := why.Kind.String() + ": "
	if why.Kind == shopadapter.Transient {
		what = store.WhatFailed
	}
	note(e, what+why.Error(), now)
	again(e, st, s.retry(*r, why, tries, st, now))
}

// Unreadable settles a reading that failed for the publication's own reason.
func (s *Settings) Unreadable(e *store.Entry, in Input, why *shopadapter.Error, now time.Time) {
	takeHint(e, in)
	s.failed(e, Step{in: in, rec: in.Rec}, why, now)
	s.finish(e, now)
}

func (s *Settings) published(e *store.Entry, st Step, out Outcome, now time.Time) {
	r, l, err := &e.Record, out.Listing, out.Err
	gone, hidden := errors.Is(err, shopadapter.ErrGone), errors.Is(err, shopadapter.ErrHidden)
	switch {
	case errors.Is(err, shopadapter.ErrWhole):
		r.Dirty = shopadapter.AllFields // the shop may not hold the product at all
		endAttempt(r)
		soon(e, min(store.ClassFull, st.in.Mark.Class), 0, now)
		return
	case gone:
		err = shopadapter.Block("the listing was deleted in the shop by hand: `pubsync retry %s` brings it back", r.ID)
	case hidden:
		err = shopadapter.Block("%s", outOfSale(byHandText, r.ID, now).Message)
	}
	adopt(r, l)
	if err != nil && r.Sale == store.SoldOut {
		r.Sale = store.Off // it was to come back
	}
	if err == nil && allRefused(st.Product, l) {
		if r.Sale == store.OnSale {
			r.Sale = store.Off
		}
		err = shopadapter.Reject("the shop refused every variant: %s", l.Refused[st.Product.Variants[0].ID])
	}
	if err == nil {
		s.settled(e, st, l, now)
		return
	}
	why := shopadapter.Explain(err)
	s.failed(e, st, why, now)
	switch p := &r.Problem; {
	case gone, hidden:
		if gone && r.Sale == store.Draft { // a retry makes another one
			r.WrittenAt = 0
		}
		p.Gone, p.Hidden, r.Sale = gone, hidden, store.Off
		forgetMissing(r)
		clearSent(r)
		if hidden {
			endAttempt(r)
			r.Dirty = 0
		}
		p.Content = st.content
	case why.Kind != shopadapter.Transient:
		if p.Content = st.content; s.mustGo(st, *r, why) { // by the next look
			soon(e, store.ClassHook, st.in.Mark.Tries, now)
		}
	}
}

func allRefused(p shopadapter.Product, l shopadapter.Listing) bool {
	return len(l.Refused) > 0 && !slices.ContainsFunc(p.Variants, func(v shopadapter.Variant) bool {
		return l.Refused[v.ID] == ""
	})
}

func adopt(r *store.Record, l shopadapter.Listing) {
	if l.ID == "" {
		return
	}
	if r.ShopID != string(l.ID) {
		r.URL, r.URLListed = "", false
	}
	if r.ShopID, r.ShopState = string(l.ID), l.State; !r.URLListed && isWebAddress(l.URL) {
		r.URL = l.URL
	}
}

func (s *Settings) settled(e *store.Entry, st Step, l shopadapter.Listing, now time.Time) {
	r := &e.Record
	changes, wrote := Diff(st.in.Rec, st), l.ID != ""
	s.takeColumns(r, st, l, now)
	withheld := func(h store.Hold) bool { return h.Kind == store.HoldPrice && h.Verdict != store.Approved }
	if s.Price.NeedsTerms() && !slices.ContainsFunc(st.rec.Holds, withheld) {
		r.Made = st.rec.Terms
	}
	if wrote {
		r.Sale = store.OnSale
		if l.Draft && st.Product.Draft {
			r.Sale = store.Draft
		}
		if r.WrittenAt == 0 || st.Changed != shopadapter.FieldImages {
			r.WrittenAt = store.At(now)
		} else { // pictures say nothing of figures; what an older list lacks is not lost
			r.Pictures.Lost = 1
		}
		r.Kept = r.Kept&^st.Changed | l.Kept
		tellWritten(e, st, changes, l, now)
		if st.Do == Publish {
			takePictures(r, st, l, now)
		}
		r.Dirty, r.Reset = r.Dirty&^st.Changed, r.Reset&^st.in.Rec.Reset
		endAttempt(r)
	} else if e.Mark == nil || e.Mark.Gen == st.in.Mark.Gen { // what was set since stays
		price := shopadapter.NoFields
		if driftHeld(st.rec.Holds) {
			price = shopadapter.FieldPrice
		}
		r.Dirty &= st.Product.Unknown | price
		r.Reset &= st.Product.Unknown
		endAttempt(r)
	}
	if st.in.Read != nil {
		sums := maps.Clone(st.Hashes)
		for group, sum := range r.Hashes {
			if st.Product.Unknown.Any(group) {
				sums[group] = sum
			}
		}
		r.Hashes, r.Language, r.Claims = sums, st.Product.Language, nil
	}
	r.Dirty &^= s.Keep
	if !s.Details {
		r.Dirty &^= detailGroups
	}
	r.Holds = without(r.Holds, func(h store.Hold) bool { // what was approved meanwhile is made by the next look
		made := func(let store.Hold) bool { return let.Same(h) && let.Verdict == store.Approved }
		return made(h) && !driftHeld(st.rec.Holds) && slices.ContainsFunc(st.rec.Holds, made)
	})
	r.Problem = store.Problem{}
	m := s.idle(*r, now)
	if st.OwesRest() {
		m = store.Mark{At: store.At(now), Class: store.ClassFull, Seen: st.in.Mark.Seen}
	}
	again(e, st, m)
}

// SoldOutText says why a product is off sale while it is sold out.
const SoldOutText = "it is sold out, and PUBSYNC_ON_SOLD_OUT=hide keeps it off sale until the supplier has some"

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
	if r.Dirty != shopadapter.AllFields { // else it is written whole when it comes back
		r.Dirty &^= shopadapter.FieldStock
	}
	switch {
	case st.Removal != "":
		by := ""
		for _, h := range r.Holds {
			if isRemoval(h) && h.Verdict == store.Approved {
				by = h.By
			}
		}
		tell(e, "withdrawn: "+string(st.Removal), by, now)
		if st.Do == Delete {
			r.ShopID, r.ShopState, r.URL, r.URLListed, r.WrittenAt = "", nil, "", false, 0
		}
		if r.Sale != store.Draft { // it comes back as one
			r.Sale = store.Off
		}
		r.Problem, r.UntitledSince, r.Reset = store.Problem{}, 0, 0
		r.Holds = without(r.Holds, func(h store.Hold) bool { return st.Do == Delete || merchants(*r, h.Variant) == "" })
		forgetSeen(r)
		endAttempt(r)
		r.Pictures, r.Dirty, r.Claims = store.Pictures{}, 0, nil
		r.Removal = store.Removal{Reason: st.Removal, At: store.At(now), Done: true}
		if e.Removed = wasOnSale; Tombstone(*r) {
			e.Mark = nil
			return
		}
		again(e, st, s.refresh(*r, now))
	case st.Refusal == nil:
		if wasOnSale {
			note(e, store.WhatOffSale+": "+SoldOutText, now)
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

func soldOut(r *store.Record) {
	r.Problem, r.UntitledSince, r.Sale = store.Problem{}, 0, store.SoldOut
	forgetSeen(r)
	eachVariant(r, func(v *store.Variant) { v.Sold = 0 })
	endAttempt(r)
}

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
