package publication

import (
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

const (
	// RemainderWait is how long the remainder of a change waits for more urgent looks. From then
	// on it gets a share of the looks.
	RemainderWait = 30 * time.Minute
	// RemainderMost is how old the remainder of a change may get. From then on a look at a further
	// change reads in full, and without one the remainder gets a share of the points.
	RemainderMost = time.Hour
)

const (
	// the causes that say that the supplier has changed something
	upstream = store.CauseSeen | store.CauseVariant | store.CauseSigned | store.CauseUnsigned
	// further causes that a look at figures, or the remainder that it owes, serves too
	beside = store.CauseRetry | store.CauseRemainder | store.CauseRules | store.CauseSettings
)

// ByFigures reports whether a look may begin with the figures: updatedAt, and the price and stock
// of the variants. It may where the supplier changed a publication that has no other work waiting;
// everything else is read in full.
func ByFigures(r store.Record, m store.Mark, now time.Time) bool {
	switch {
	case m.Cause&upstream == 0, m.Cause&^(upstream|beside) != 0:
		return false
	case !figuresStand(r):
		return false
	case r.RemainderSince > store.At(now), r.RemainderSince != 0 && now.Sub(r.RemainderSince.Time()) >= RemainderMost:
		return false
	}
	return true
}

// figuresStand reports whether nothing but figures of a publication may have to be written.
func figuresStand(r store.Record) bool {
	switch {
	case !r.OnSale,
		r.ShopID == "",
		r.WrittenAt == 0,
		!ruled(r),
		r.Removal != (store.Removal{}),
		r.UntitledSince != 0,
		r.LateSince != 0:
		return false
	case r.Problem.Kind != "", len(without(r.Holds, isRulesHold)) > 0, len(without(r.Approved, isRulesHold)) > 0,
		r.Open, r.Attempted != 0, r.Reset != 0:
		return false
	}
	priced := false
	for _, v := range r.Variants {
		if v.Refused != "" && !v.Unpriced {
			return false
		}
		priced = priced || !v.Unpriced
	}
	return priced
}

// isRulesHold reports whether a hold is of a price by changed rules, which is made of the figures
// alone.
func isRulesHold(h store.Hold) bool { return h.Kind == store.HoldRules }

// DecideFigures is the first decision after a reading of figures that was asked for at a time. It
// writes changed figures as [Decider.Decide] would, and owes the remainder, but for a refresh. ok is
// false where the publication must be read in full now: a variant came or went, or gained or lost its
// price, or a refresh finds that updatedAt has moved.
func (by *Decider) DecideFigures(
	r store.Record, m store.Mark, seen marketplace.Figures, at time.Time,
) (d Decision, ok bool) {
	refresh := by.RefreshesFigures(r, m, at)
	if !refresh && !ByFigures(r, m, at) || refresh && seen.UpdatedAt != r.UpdatedAt || !seen.Whole ||
		len(seen.UpdatedAt) > MaxUpdatedAt {
		return d, false
	}
	d = Decision{by: by, mark: m, start: r, rec: r, asked: at, figured: true}
	if d.rec.FiguresAt = store.At(at); !refresh {
		d.owe()
	}
	return d, d.compareFigures(seen.Variants)
}

// compareFigures compares the variants' figures with the record. It reports whether they are the
// variants of the record, with a price where that has one.
func (d *Decision) compareFigures(variants []marketplace.Variant) bool {
	r, by := d.start, d.by
	if len(variants) != len(r.Variants) || by.Rules.Price.NeedsTerms() && !r.Terms.Known {
		return false
	}
	written := make(map[string]store.Variant, len(r.Variants))
	for _, v := range r.Variants {
		written[v.ID] = v
	}
	d.desired = newDesired()
	d.desired.terms = r.Terms
	by.mapper.variants(&d.desired, &marketplace.Listing{Variants: titled(variants, written)}, r, d.asked)
	for id := range d.desired.titles {
		w, known := written[id]
		if _, refused := d.desired.refused[id]; !known || refused != w.Unpriced {
			return false
		}
		d.desired.titles[id] = w.Title
	}
	if len(d.desired.titles) != len(written) { // a variant is there twice
		return false
	}
	for i := range d.desired.product.Variants {
		v := &d.desired.product.Variants[i]
		v.Title, v.SKU = written[v.ID].Title, written[v.ID].SKU
	}
	if why := by.Rules.unsellable(d.desired); why != "" {
		d.rec.Variants = supplied(d.rec.Variants, d.desired.supply)
		*d = d.offSale(why)
		return true
	}
	d.Product = d.desired.product
	d.rec.Variants = supplied(d.rec.Variants, d.desired.supply)
	d.rec.Holds, d.rec.Declined = d.keepSince(d.desired.holds), d.stillDeclined()
	d.Changed = (differingFigures(d.Product.Variants, r) | by.wrong(r)&figures) &^ by.Rules.Keep
	if d.Changed != shopadapter.NoFields {
		d.Step = Restock
		return true
	}
	d.remember(shopadapter.Listing{})
	*d = d.ends(event{kind: eventUnchanged})
	return true
}

// titled is the variants with the titles that were last written.
func titled(variants []marketplace.Variant, written map[string]store.Variant) []marketplace.Variant {
	out := make([]marketplace.Variant, len(variants))
	for i, v := range variants {
		v.Title = written[v.ID].Title
		out[i] = v
	}
	return out
}

// owe records since when the remainder of the content is owed. It is owed even where only the list
// of variants named a variant: its title or codes may have changed.
func (d *Decision) owe() {
	if d.rec.RemainderSince == 0 {
		d.rec.RemainderSince = d.rec.FiguresAt
	}
}

// ByFigures reports whether the decision follows a reading of figures, whose remainder is owed.
func (d Decision) ByFigures() bool { return d.figured && !d.repriced && d.rec.RemainderSince != 0 }

// Undo removes the attempt of a decision that led to Reread from the record.
func (d Decision) Undo(r *store.Record) {
	r.Attempted, r.Open, r.Sent = d.start.Attempted, d.start.Open, d.start.Sent
}

// Figured reports whether a mark asks for no more than the remainder of a change, since the figures
// have been read since.
func Figured(m store.Mark, r store.Record) bool {
	if r.RemainderSince == 0 || m.Cause&store.CauseRemainder == 0 || m.Cause == store.CauseRemainder {
		return false
	}
	m.Cause &^= store.CauseRemainder
	r.ReadAt = max(r.ReadAt, r.FiguresAt)
	return Needless(m, r)
}
