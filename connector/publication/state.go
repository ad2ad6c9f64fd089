package publication

import (
	"slices"
	"time"

	"github.com/pubsync/pubsync/store"
)

// StateOf derives the state of a publication. Only here the order of the states is written down.
func StateOf(r Record) store.State {
	refused := func(v Variant) bool { return v.Refused != "" }
	switch {
	case r.Problem.Kind == store.ProblemBlocked:
		return store.StateBlocked
	case r.Problem.Kind == store.ProblemRejected:
		return store.StateRejected
	case slices.ContainsFunc(r.Holds, Hold.Stands):
		return store.StateHeld
	case r.Problem.Kind != "":
		return store.StatePending
	case r.Removal.Done:
		return store.StateWithdrawn
	case r.Removal.Reason == "" && r.Sale == SoldOut && r.ShopID != "":
		return store.StateLive
	case r.Removal.Reason != "", r.Sale != OnSale:
		return store.StatePending
	case slices.ContainsFunc(r.Variants, refused), len(r.Pictures.Missing) > 0:
		return store.StatePartial
	default:
		return store.StateLive
	}
}

// Reason is why a publication is in its state, in one line; "" for no reason.
func Reason(r Record) string {
	i := slices.IndexFunc(r.Holds, Hold.Stands)
	switch {
	case r.Problem.Message != "":
		return r.Problem.Message
	case i >= 0:
		return r.Holds[i].Reason
	case r.Sale == SoldOut:
		return soldOutText
	case r.Sale == Draft:
		return "it is a draft in the shop: put it on sale there"
	default:
		return string(r.Removal.Reason)
	}
}

// Tombstone reports whether a record is of an entry that is not on the list, and whose listing is out
// of sale. Only the list can bring it back.
func Tombstone(r Record) bool { return r.Removal.Done && r.Removal.Reason == store.RemovalAbsent }

// restate has the state follow from the rest of the record. It tells that a publication stands well
// again: that it does not, or is on its way, other events say.
func restate(e *Entry, before store.State, now time.Time) {
	r := &e.Record
	r.State = StateOf(*r)
	well := r.State == store.StateLive || r.State == store.StatePartial
	if well && before != "" && before != store.StatePending && before != r.State {
		e.Tell(Event{
			At: store.At(now), What: WhatState, Changes: []Change{{Field: "state", Old: string(before), New: string(r.State)}},
		})
	}
}

// wanted is the status that the marketplace should hold, "" where there is none yet.
func wanted(r Record) (status store.Status, url string) {
	p := r.Problem
	switch {
	case r.Removal.Reason == store.RemovalAbsent, leftToOther(r): // the marketplace's status is not about us
		return "", ""
	case r.Removal.Done: // its entry is on the list, and has nothing to sell
		return store.StatusFailed, ""
	case r.Sale == OnSale:
		return store.StatusSuccess, r.URL
	case p.Kind == store.ProblemRejected && !r.Open(), p.Gone, p.Hidden, p.Overdue:
		return store.StatusFailed, ""
	default:
		return "", ""
	}
}

// owe brings the report that is owed in line with the record. There is none where the marketplace
// holds that status. A refused report stays owed as it is; one that replaces it was never refused.
func owe(e *Entry, now time.Time) {
	r := e.Record
	status, url := wanted(r)
	told := r.Reported == status && (status != store.StatusSuccess || SameAddress(r.ReportedURL, url))
	switch {
	case r.Removal.Reason == store.RemovalAbsent, status != "" && told:
		e.Owed = nil
	case status == "":
		if e.Owed != nil && e.Owed.Status == store.StatusSuccess { // it is not true any more
			e.Owed = nil
		}
	case e.Owed != nil && e.Owed.Status == status && e.Owed.URL == url:
	default:
		e.Owed = &Report{Status: status, URL: url, UpdatedAt: r.UpdatedAt, Since: store.At(now)}
	}
}

func waitsForShop(kind store.ProblemKind) bool {
	return kind == store.ProblemTransient || kind == store.ProblemBlocked
}

// waitingSince is since when a publication that is not on sale has waited for the shop, which is shut
// for a reason, "" where it is open.
func waitingSince(r Record, shut string) (since store.Instant, waits bool) {
	switch p := r.Problem; {
	case r.Sale == OnSale, r.Sale == SoldOut, p.Overdue, r.Removal.Reason != "", slices.ContainsFunc(r.Holds, Hold.Stands):
		return 0, false
	case waitsForShop(p.Kind):
		return p.Since, true
	case p.Kind == "" && shut != "":
		return r.ListedAt, true
	default:
		return 0, false
	}
}

// overdue reports whether the marketplace is to be told that a publication has failed: it has met only
// errors of the shop for FailAfter. While the shop is shut that includes one that was never tried.
func (s *Settings) overdue(r Record, shut string, now time.Time) bool {
	since, waits := waitingSince(r, shut)
	return waits && since != 0 && now.Sub(since.Time()) >= s.FailAfter
}

func (s *Settings) isOverdue(r Record, now time.Time) bool {
	return r.Sale != OnSale && r.Sale != SoldOut && waitsForShop(r.Problem.Kind) &&
		now.Sub(r.Problem.Since.Time()) >= s.FailAfter
}

// wholeEvery is how many refreshes of figures there are to one of the content.
const wholeEvery = 30

// refresh is the mark for what was not read for long. A reading in the future counts as one of now: a
// wrong clock must not put off the next reading for years.
func (s *Settings) refresh(r Record, now time.Time) Mark {
	read := min(max(r.ReadAt, r.FiguresAt), store.At(now))
	return Mark{Class: ClassRefresh, At: store.At(read.Time().Add(s.RefreshAfter))}
}

// idle is the mark of a publication without a problem: for its late pictures, or a refresh.
func (s *Settings) idle(r Record, now time.Time) Mark {
	m := s.refresh(r, now)
	if s.wholeTurn(r, now) {
		m.At = store.At(now)
	}
	if late := r.Pictures.LateAt; late != 0 && late <= m.At {
		return Mark{Class: ClassFull, At: late}
	}
	return m
}

// Need is what a look at a mark has to read.
type Need int

// The needs.
const (
	NeedNothing Need = iota // the record answers
	NeedFigures             // prices and stock
	NeedContent
)

// seenBefore reports whether a mark is for content that was read already, and written.
func seenBefore(r Record, m Mark) bool {
	return m.Class == ClassSweep && m.Seen != "" && (m.Seen == r.UpdatedAt || m.Seen == r.Echo) &&
		!r.Open() && r.Unsure() == 0
}

// Needs is what a look has to read. backlog says that more is due than the points allow: then figures
// come first, and the rest of a change later. shut says that neither side can be used.
func (s *Settings) Needs(r Record, m Mark, backlog bool, shut string, now time.Time) Need {
	content := now.Sub(r.ReadAt.Time()) >= wholeEvery*s.RefreshAfter || r.ReadAt > store.At(now)
	switch {
	case s.overdue(r, shut, now) && shut != "":
		return NeedNothing
	case seenBefore(r, m) && r.ReadAt <= store.At(now):
		return NeedNothing
	case m.Class == ClassRules && (Repriceable(r) || r.Problem.Kind == store.ProblemRejected && len(r.Variants) > 0):
		return NeedNothing
	case m.Class == ClassRefresh && Repriceable(r) && !content,
		(m.Class == ClassHook || m.Class == ClassSweep) && backlog && Repriceable(r) && m.Tries == 0:
		return NeedFigures
	default:
		return NeedContent
	}
}
