package publication

import (
	"fmt"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// An Observation is what one listing was found to be in the shop.
type Observation struct {
	shopadapter.Listing
	Prices shopadapter.Prices // how the shop takes prices
	Absent bool               // the shop has no such listing
}

// A Finding says what of a listing is not as it was written, for counts and for the brake.
type Finding struct {
	Price    bool // somebody changed one, and it was not put right just before
	Again    bool // a figure that was put right is as it was before that
	Stock    bool // somebody raised one
	Variants bool // one was deleted or switched off
	Pictures bool // the shop has lost some
	Edited   bool // a text is the merchant's from now on, that was not before
}

// Any reports whether there is anything.
func (f Finding) Any() bool { return f != Finding{} }

// Judged reports whether a record can be compared with an observation that began at a time. What
// was written since, and what a lost answer may have left, is not judged: neither is drift.
func Judged(r store.Record, since store.Instant) bool {
	return r.OnSale && r.ShopID != "" && r.WrittenAt != 0 && r.WrittenAt < since && r.Attempted == 0 && !r.Open &&
		r.Removal == (store.Removal{})
}

// Find says what of a listing is not as it was written.
func (p Settings) Find(r store.Record, o Observation) (f Finding) {
	for _, d := range p.Rules.driftOf(r, o, 0) {
		for _, c := range differences(d) {
			tried := triesOf(r, c) > 0
			f.Again = f.Again || tried
			f.Price = f.Price || !tried && c.Field == shopadapter.FieldPrice
			f.Stock = f.Stock || !tried && c.Field == shopadapter.FieldStock
		}
		f.Variants = f.Variants || d.Gone || d.Off
	}
	f.Pictures = p.Rules.lost(r, o)
	f.Edited = o.Edited&^r.Kept&^p.Rules.Keep != 0
	return f
}

// HoldsDrift reports whether prices that were changed in the shop are held rather than put right:
// where so many of the products differ, somebody meant it.
func (b Brake) HoldsDrift(differing, products int) bool {
	return veryMany(differing, products)
}

// veryMany reports whether so many of the products were changed in the shop that it is more than one
// hand's work: more than ten, and more than one in five.
func veryMany(changed, products int) bool { return changed > 10 && 5*changed > products }

// Group is the prices that were found to be changed together.
type Group struct {
	Held                bool
	Differing, Products int
}

// Observed takes into a record what was observed of its listing. It reports whether there is
// something to write. What is to be put right is due at once, without a reading where the record
// tells all that it needs.
func (p Settings) Observed(s *store.Settlement, o Observation, g Group, now time.Time) bool {
	r := &s.Record
	before := *r
	p.Rules.take(r, o, now)
	p.Rules.left(r, before.Drift, now)
	r.Holds = without(r.Holds, isDriftHold)
	// what is held stays so until a person approves it, though the others have been put right since
	if (g.Held || driftHeld(before)) && p.OnDrift != DriftReport {
		r.Holds = append(r.Holds, g.holds(before, r.Drift, now)...)
	}
	if driftHeld(before) && !driftHeld(*r) { // what the supplier changed meanwhile was not written
		s.Next = &store.Mark{Class: store.ClassSweep, Cause: store.CauseRead, At: store.At(now)}
	}
	if outdated := o.Outdated &^ (o.Edited | p.Rules.Keep); outdated != shopadapter.NoFields {
		r.Attempted |= outdated
		s.Next = &store.Mark{Class: store.ClassSweep, Cause: store.CauseRead, At: store.At(now)}
	}
	if fields := p.wrong(*r); fields != shopadapter.NoFields {
		s.Next = &store.Mark{
			Class: store.ClassFull, Cause: store.CauseDrift | store.CauseRead, At: store.At(now),
		}
		if fields&^figures == 0 && Repriceable(*r) {
			s.Next.Class, s.Next.Cause = store.ClassRules, store.CauseDrift
		}
	}
	recordHeld(r, before.Holds, now)
	restate(r, before.State, now)
	return s.Next != nil || r.Kept != before.Kept || r.Lost != before.Lost || r.Images != before.Images ||
		!slices.Equal(r.Drift, before.Drift) || !slices.Equal(r.Holds, before.Holds) ||
		!slices.Equal(r.Corrections, before.Corrections) || !slices.Equal(r.Variants, before.Variants)
}

// take records what was observed.
func (r Rules) take(rec *store.Record, o Observation, now time.Time) {
	r.adoptMerchants(rec, o)
	rec.Drift = r.driftOf(*rec, o, store.At(now))
	rec.Corrections = unlearned(*rec)
	rec.Kept = rec.Kept&^o.Compared | o.Edited&^r.Keep
	rec.Lost = r.lost(*rec, o)
	if o.Images > rec.Images && !o.Edited.Has(shopadapter.FieldImages) { // late ones have come, or none was counted
		rec.Images = o.Images
	}
}

// adoptMerchants records the prices that the shop has of variants whose price is the merchant's.
func (r Rules) adoptMerchants(rec *store.Record, o Observation) {
	if (r.Keep | o.Untold).Has(shopadapter.FieldPrice) || o.Variants == nil {
		return
	}
	for _, v := range rec.Variants {
		seen, ok := observedOf(o.Variants, v)
		if ok && seen.Price != "" && isMerchants(*rec, v.ID) && repriced(v, seen, o.Prices) {
			adoptPrice(rec, v.ID, seen.Price)
		}
	}
}

// lost reports whether the shop has lost pictures that are to be written again: once, and none that
// the merchant took away.
func (r Rules) lost(rec store.Record, o Observation) bool {
	return o.Images >= 0 && o.Images < rec.Images && !o.Edited.Has(shopadapter.FieldImages) && !rec.Repictured &&
		rec.LateSince == 0 && !r.Keep.Has(shopadapter.FieldImages)
}

// holds is what is held of prices that were changed together with many others.
func (g Group) holds(before store.Record, drift []store.Drift, now time.Time) (holds []store.Hold) {
	written := writtenVariants(before)
	for _, d := range drift {
		if !driftsPrice(d) || tried(before, d) { // a person has let that through, or it passed the brake
			continue
		}
		h := store.Hold{
			Kind: store.HoldDrift, Variant: d.Variant, Old: d.Price, New: written[d.Variant].Price,
			Reason: g.reason(), Since: store.At(now),
		}
		if stood, ok := sameHold(before.Holds, h); ok {
			h.Since, h.Reason = stood.Since, stood.Reason
		}
		holds = append(holds, h)
	}
	return holds
}

// reason is why the prices of a group are held.
func (g Group) reason() string {
	return fmt.Sprintf("the prices of %d of %d products were changed in the shop, so somebody meant it: approve puts "+
		"them back, PUBSYNC_SHOP_KEEP=price leaves prices to the shop", g.Differing, g.Products)
}

// observe takes in what a look that a person asked for found in the shop.
func (d *Decision) observe(o *Observation) {
	if d.named() {
		d.rec.Corrections = nil
	}
	switch {
	case o == nil:
	case o.Absent: // the shop is asked to write it, and says that it is gone
		d.rec.Attempted = shopadapter.AllFields &^ d.Product.Unknown
	default:
		d.by.Rules.take(&d.rec, *o, d.asked)
		d.rec.Attempted |= o.Outdated &^ (o.Edited | d.by.Rules.Keep)
		d.rec.Holds = without(d.rec.Holds, func(h store.Hold) bool { return settledBy(d.rec.Drift, h) })
		if !driftHeld(d.rec) {
			copy(d.Product.Variants, d.priced) // nothing is held any more
		}
		if !o.OnSale {
			d.rec.Attempted = shopadapter.AllFields &^ d.Product.Unknown
		}
	}
}

// settledBy reports whether a hold is of a price that stands in the shop as it was written again.
func settledBy(drift []store.Drift, h store.Hold) bool {
	return h.Kind == store.HoldDrift && !slices.ContainsFunc(drift, func(d store.Drift) bool {
		return d.Variant == h.Variant && d.Price != ""
	})
}

// Observable tells whether the listing is to be observed before the comparison: a person asked for
// the publication, and wants it as it was written.
func (d Decision) Observable() bool {
	settled := d.rec.Attempted == 0 && !d.rec.Open
	return d.Step == Compare && d.named() && d.rec.OnSale && d.rec.ShopID != "" && settled
}

// revives reports whether variants that were switched off in the shop are to be put on sale again:
// a person asked for the publication, and not by an approval, which is of a change alone.
func (d Decision) revives() bool {
	isOff := func(v store.Drift) bool { return v.Off }
	return d.named() && len(d.start.Approved) == 0 && slices.ContainsFunc(d.rec.Drift, isOff)
}

// takesBack reports whether a listing that the adapter does not touch by itself, since its stamp
// was deleted, is to be its own again: a person who was told of a problem asked for the
// publication.
func (d Decision) takesBack() bool {
	return d.named() && len(d.start.Approved) == 0 && d.start.Problem.Kind == store.ProblemBlocked
}
