package publication

import (
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A Drift is what a listing of the shop says of a record.
type Drift int

// How a listing in the shop differs from its record.
const (
	DriftNone   Drift = iota
	DriftGone         // the shop does not list it
	DriftHidden       // the shop lists it, and it is not on sale
	DriftShown        // it had been deleted or hidden by hand, or was a draft, and is on sale
	DriftMoved        // the shop shows it at another address
)

// DriftOf compares a record with a listing that was begun at a time. A listing that was written
// since, is about to leave, or has an attempt without an answer is left to its next look.
func DriftOf(r store.Record, held shopadapter.Listing, listed bool, since store.Instant) Drift {
	switch {
	case awaits(r) && listed && held.OnSale && r.WrittenAt < since && !r.Open && r.Removal == (store.Removal{}):
		return DriftShown
	case !r.OnSale && (r.Problem.Hidden || r.Problem.Gone) && listed && held.OnSale && r.Problem.Last < since &&
		r.Removal == (store.Removal{}):
		return DriftShown
	case !Judged(r, since):
		return DriftNone
	case !listed:
		return DriftGone
	case !held.OnSale:
		return DriftHidden
	case movesTo(r.URL, held.URL):
		return DriftMoved
	default:
		return DriftNone
	}
}

// BelievesGone reports whether a shop's list that lacks so many listings, of those that are on
// sale, proves that somebody deleted them. A mass disappearance is the shop's trouble rather than
// somebody's hand; one missing listing is believed whatever its share.
func (b Brake) BelievesGone(missing, onSale int) bool {
	return missing <= 1 || !b.RemovesTooMuch(onSale, 0, missing)
}

// hiddenMessage tells the merchant how a listing that they took out of sale comes back.
func hiddenMessage(id string) string {
	return "it was taken out of sale in the shop by hand: put it on sale there, or `pubsync retry " + id + "` " +
		"publishes it again"
}

// hide records that somebody took a listing out of sale by hand. It stays so until they put it
// back, or ask for it.
func hide(r *store.Record, now time.Time) {
	r.OnSale = false
	r.Problem = store.Problem{
		Kind: store.ProblemBlocked, Message: hiddenMessage(r.ID), Hidden: true, Attempts: 1, Since: store.At(now),
		Last: store.At(now), Content: r.Problem.Content,
	}
	forgetPictures(r)
}

// Apply is what a drift leads to; address is where the shop shows the listing. It reports whether
// there is something to write.
func (d Drift) Apply(s *store.Settlement, owed *store.Report, address string, now time.Time) bool {
	r := &s.Record
	read := store.Mark{Class: store.ClassSweep, Cause: store.CauseRead, At: store.At(now)}
	switch d {
	case DriftGone:
		r.Attempted = shopadapter.AllFields // so that the look calls the shop
		s.Next = &read
	case DriftHidden:
		hide(r, now)
		r.History = appendHistory(r.History, "taken out of sale in the shop by hand", now)
	case DriftShown:
		r.OnSale, r.Draft, r.Problem = true, false, store.Problem{}
		if isWebAddress(address) {
			r.URL = address
		}
		r.History = appendHistory(r.History, "put on sale again in the shop by hand", now)
		s.Next = &read // the supplier may have changed it meanwhile
	case DriftMoved:
		moved := store.Event{Kind: store.EventAddress}
		moved.Moved, moved.More = store.PackMoves([]store.Move{{Old: r.URL, New: address}})
		r.History = appendEvent(r.History, moved, now)
		r.URL, r.AddressListed = address, true
	default:
		return false
	}
	restate(r, r.State, now)
	Owe(s, owed, now)
	return true
}

func (d Drift) String() string {
	switch d {
	case DriftGone:
		return "missing"
	case DriftHidden:
		return "hidden"
	case DriftShown:
		return "shown"
	case DriftMoved:
		return "moved"
	default:
		return "none"
	}
}

// carryDrift brings into r, the record of this look, what was found in the shop after the look had
// begun. Of the groups that the look wrote it knows better.
func (d *Decision) carryDrift(cur store.Record, r *store.Record) {
	start, wrote := d.start, shopadapter.NoFields
	if d.end.kind == eventPublished {
		wrote = d.Changed
	}
	if wrote == shopadapter.NoFields {
		hidden := cur.Problem.Hidden != start.Problem.Hidden && r.Problem.Hidden == start.Problem.Hidden
		if hidden || awaits(start) && cur.OnSale {
			r.OnSale, r.Draft, r.Problem, r.URL = cur.OnSale, cur.Draft, cur.Problem, cur.URL
		}
		if !cur.Open && cur.Attempted != start.Attempted {
			r.Attempted |= cur.Attempted
		}
	}
	if !r.OnSale {
		return
	}
	if cur.URL != start.URL {
		r.URL, r.AddressListed = cur.URL, cur.AddressListed
	}
	if !slices.Equal(cur.Drift, start.Drift) {
		if wrote == shopadapter.NoFields {
			r.Drift, r.Corrections = cur.Drift, cur.Corrections
		} else {
			r.Drift = d.corrected(cur.Drift, r.Variants)
		}
	}
	if cur.Kept != start.Kept {
		r.Kept = r.Kept&wrote | cur.Kept&^wrote
	}
	if (cur.Lost != start.Lost || cur.Images != start.Images) && !wrote.Has(shopadapter.FieldImages) {
		r.Lost, r.Images = cur.Lost, cur.Images
	}
	held := only(cur.Holds, isDriftHold)
	if !slices.Equal(held, only(start.Holds, isDriftHold)) && !wrote.Has(shopadapter.FieldPrice) {
		r.Holds = append(without(r.Holds, isDriftHold), held...)
	}
}

func isDriftHold(h store.Hold) bool { return h.Kind == store.HoldDrift }

// without is the holds for which is does not hold, nil for none.
func without(holds []store.Hold, is func(store.Hold) bool) []store.Hold {
	return only(holds, func(h store.Hold) bool { return !is(h) })
}

// only is the holds for which is holds, nil for none.
func only(holds []store.Hold, is func(store.Hold) bool) (out []store.Hold) {
	for _, h := range holds {
		if is(h) {
			out = append(out, h)
		}
	}
	return out
}
