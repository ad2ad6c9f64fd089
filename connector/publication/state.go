package publication

import (
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// StateOf derives the state of a publication. Only here the order of the states is written down.
func StateOf(r store.Record) store.State {
	refused := func(v store.Variant) bool { return v.Refused != "" }
	switch {
	case r.Problem.Kind == store.ProblemBlocked:
		return store.StateBlocked
	case r.Problem.Kind == store.ProblemRejected:
		return store.StateRejected
	case slices.ContainsFunc(r.Holds, store.Hold.Stands):
		return store.StateHeld
	case r.Problem.Kind != "":
		return store.StatePending
	case r.Removal.Done:
		return store.StateWithdrawn
	case r.Removal.Reason == "" && r.Sale == store.SoldOut && r.ShopID != "":
		return store.StateLive
	case r.Removal.Reason != "", r.Sale != store.OnSale:
		return store.StatePending
	case slices.ContainsFunc(r.Variants, refused), len(r.Pictures.Missing) > 0:
		return store.StatePartial
	default:
		return store.StateLive
	}
}

// Reason is why a publication is in its state, in one line; "" for no reason.
func Reason(r store.Record) string {
	i := slices.IndexFunc(r.Holds, store.Hold.Stands)
	switch {
	case r.Problem.Message != "":
		return r.Problem.Message
	case i >= 0:
		return r.Holds[i].Reason
	case r.Sale == store.SoldOut:
		return soldOutText
	case r.Sale == store.Draft:
		return "it is a draft in the shop: put it on sale there"
	default:
		return string(r.Removal.Reason)
	}
}

// restate has the state follow from the rest of the record. It tells that a publication stands well
// again: that it does not, or is on its way, other events say.
func restate(e *store.Entry, now time.Time) {
	r, before := &e.Record, e.Record.State
	r.State = StateOf(*r)
	well := r.State == store.StateLive || r.State == store.StatePartial
	if well && before != "" && before != store.StatePending && before != r.State {
		change := store.Change{Field: "state", Old: string(before), New: string(r.State)}
		e.Tell(store.Event{At: store.At(now), What: store.WhatState, Changes: []store.Change{change}})
	}
}

func waitsForShop(kind store.ProblemKind) bool {
	return kind == store.ProblemTransient || kind == store.ProblemBlocked
}

// waitingSince is since when a publication that is not on sale has waited for the shop, which is shut
// for a reason, "" where it is open.
func waitingSince(r store.Record, shut string) (since store.Instant, waits bool) {
	switch p := r.Problem; {
	case r.Sale == store.OnSale, r.Sale == store.SoldOut, p.Overdue, r.Removal.Reason != "",
		slices.ContainsFunc(r.Holds, store.Hold.Stands):
		return 0, false
	case waitsForShop(p.Kind):
		return p.Since, true
	default:
		return r.ListedAt, p.Kind == "" && shut != ""
	}
}

// overdue reports whether the marketplace is to be told that a publication has failed: it has met only
// errors of the shop for FailAfter. While the shop is shut that includes one that was never tried.
func (s *Settings) overdue(r store.Record, shut string, now time.Time) bool {
	since, waits := waitingSince(r, shut)
	return waits && since != 0 && now.Sub(since.Time()) >= s.FailAfter
}

func (s *Settings) isOverdue(r store.Record, now time.Time) bool {
	return r.Sale != store.OnSale && r.Sale != store.SoldOut && waitsForShop(r.Problem.Kind) &&
		now.Sub(r.Problem.Since.Time()) >= s.FailAfter
}

// Overdue has the marketplace told of a publication that is not on sale and has met only errors of the
// shop for FailAfter; shut is why the shop cannot be used now, "" where it can. It reports whether there
// is something to write.
func (s *Settings) Overdue(e *store.Entry, shut string, now time.Time) bool {
	if !s.overdue(e.Record, shut, now) {
		return false
	}
	in, due := Input{Rec: e.Record, Mark: store.Mark{Class: store.ClassRules}, Shut: shut, Now: now}, e.Mark
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

// OwnFailure is the failure of a publication itself after so many failed readings in a row, nil where it
// is the marketplace's: that is so at the first one, and while calls to the marketplace are paused.
func OwnFailure(err error, inARow int, paused bool) *shopadapter.Error {
	if inARow <= 1 || paused {
		return nil
	}
	return shopadapter.Retry("its content cannot be read: %w", err)
}
