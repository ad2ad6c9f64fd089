package publication

import (
	"fmt"
	"slices"
	"strings"
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
	holds := r.Holds
	if st.in.Read != nil || st.in.Gone {
		takeHint(e, st.in)
	}
	if st.forget && (e.Mark == nil || e.Mark.Gen == st.in.Mark.Gen) {
		e.Forget, e.Leave, e.Mark = true, r.ReportedAt != 0, nil
		return
	}
	wasOnSale := r.Sale == store.OnSale
	s.takeReading(r, st, now)
	switch {
	case st.noted && st.stands:
		s.waited(e, st, now)
	case st.noted && st.Refusal != nil:
		r.Problem.Message = st.Refusal.Error()
		again(e, st, s.refresh(*r, now))
	case st.noted:
		again(e, st, s.idle(*r, now))
	case st.stands:
		s.stood(e, st, now)
	case st.found: // the brake is to judge it, see Brake.Removals
		found := r.Removal
		if found.Reason == "" {
			found = store.Removal{At: store.At(st.in.Now)}
		}
		found.Reason = st.Removal
		toBeRemoved(r, found)
		again(e, st, s.refresh(*r, now))
	case st.Do == Publish || st.Do == Figures:
		s.published(e, st, out, now)
	case st.Calls(), st.Removal != "" && st.Do == Nothing, st.soldOut:
		s.wentOff(e, st, out, wasOnSale, now)
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

// takeReading takes what was read into the record, however the look ends.
func (s *Settings) takeReading(r *store.Record, st Step, now time.Time) {
	const images = shopadapter.FieldImages
	in := st.in
	if in.Fresh {
		r.FiguresAt = store.At(in.Now)
	}
	if in.Gone {
		r.ReadAt = store.At(in.Now)
	}
	if in.Read != nil {
		takeStatus(r, in, now)
		l := in.Read.Listing
		if len(st.Rows) > 0 || st.judged || st.Do == Wait && st.Removal == "" && l != nil && len(l.Variants) > 0 {
			s.takeIn(r, st)
			if r.Terms = st.terms; st.terms.Known || len(st.unread) > 0 {
				r.Unread = strings.Join(st.unread, ", ")
			}
		} else {
			takeIDs(r, in.Read, in.Now)
		}
	}
	if st.awaits {
		if Tombstone(*r) {
			listedAgain(r, in.Now)
		}
		r.Removal = store.Removal{}
	}
	if in.Gone || st.awaits || in.Read != nil && st.Removal != "" {
		r.UntitledSince, r.Unread = 0, ""
	}
	if len(st.Rows) > 0 {
		takeRows(r, st)
	}
	if was := r.Hashes[images]; s.Keep.Has(images) && len(st.Hashes) > 0 && was != 0 && was != st.Hashes[images] {
		forgetMissing(r) // they are the merchant's
	}
	if !st.judged {
		return
	}
	r.Holds = mergeHolds(r.Holds, st)
	switch {
	case in.Read == nil:
	case st.Product.Title == "":
		r.UntitledSince = untitledSince(r.UntitledSince, in.Now)
	default:
		r.Title, r.UntitledSince = st.Product.Title, 0
	}
}

// takeStatus takes in the status that a reading showed: a report whose answer was lost has arrived, or
// somebody else set another.
func takeStatus(r *store.Record, in Input, now time.Time) {
	status := store.Status(in.Read.Status)
	was := in.Rec.Removal // it is listed again, and reported anew
	anew := (was.Done || was.Begun) && was.Reason == store.RemovalAbsent
	strange := in.Read.Listing != nil && isForeign(*r, in)
	if anew || strange || status != store.StatusSuccess && status != store.StatusFailed && r.Reported == "" {
		return
	}
	since := r.ReportedAt >= store.At(in.Now) && r.ReportedAt <= store.At(now)
	if !since && r.Reported != status {
		r.Reported, r.ReportedURL = status, in.Read.ProductURL
	}
}

// mergeHolds is the holds of a step with the verdicts as they are now, and those that came since.
func mergeHolds(now []store.Hold, st Step) (out []store.Hold) {
	knew := func(h store.Hold) bool { return slices.ContainsFunc(st.in.Rec.Holds, h.Same) }
	for _, h := range st.Holds {
		if i := slices.IndexFunc(now, h.Same); i >= 0 {
			h.Verdict, h.By = now[i].Verdict, now[i].By
		} else if knew(h) { // asked again meanwhile
			h.Verdict, h.By = "", ""
		}
		out = append(out, h)
	}
	for _, h := range now {
		if !knew(h) && !slices.ContainsFunc(out, h.Same) {
			out = append(out, h)
		}
	}
	return out
}

// waited ends a look at what waits for the shop for too long.
func (s *Settings) waited(e *store.Entry, st Step, now time.Time) {
	p := &e.Record.Problem
	if p.Kind == "" {
		*p = problem(store.ProblemTransient, st.in.Shut, now)
		p.Wide, p.Since = true, e.Record.ListedAt
	}
	p.Overdue = true
	m := st.in.Mark
	m.Tries++
	m.At = store.At(now.Add(s.Backoff(e.Record.ID, m.Tries)))
	again(e, st, m)
}

// stood ends a look after which the problem, or the hold, stays as it is.
func (s *Settings) stood(e *store.Entry, st Step, now time.Time) {
	r := &e.Record
	switch p := r.Problem; {
	case st.hidden:
		hide(r, now)
		note(e, "taken out of sale in the shop by hand, before the store was lost", now)
	case st.Removal != "" && r.Removal.Done:
		r.Removal.Reason = st.Removal
	case p.Kind == store.ProblemRejected && r.Sale == store.OnSale:
		r.Attempt.Lost = false
	case st.clears:
		r.Problem = store.Problem{}
	}
	s.rest(e, st, now)
}

// rest has a publication looked at when it was not read for long. Only the list brings a tombstone back.
func (s *Settings) rest(e *store.Entry, st Step, now time.Time) {
	if Tombstone(e.Record) {
		e.Mark = nil
		return
	}
	again(e, st, s.refresh(e.Record, now))
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
		e.Removed = wasOnSale
		s.rest(e, st, now)
	case st.soldOut:
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
	case st.Removal != "" || st.soldOut:
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
	s.failed(e, Step{in: in}, why, now)
	s.clip(e, now)
	restate(e, now)
	owe(e, now)
}

// Stopped records that a call was cancelled after so long.
func Stopped(e *store.Entry, took time.Duration, now time.Time) {
	note(e, fmt.Sprintf("stopped: the shop had not come to an end after %s", took.Round(time.Second)), now)
}
