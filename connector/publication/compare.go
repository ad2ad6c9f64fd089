package publication

import (
	"bytes"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Facts are what a Compare brings.
type Facts struct {
	SKUs      map[string]string  // variant id -> the SKU that the store would give it
	Outdated  shopadapter.Fields // what the adapter would write otherwise today; see shopadapter.Reviewer
	ReviewErr error              // why the adapter could not tell
	// Observed is the listing as it stands in the shop, where a person asked; nil: not observed.
	Observed *Observation
}

// Wishes are the SKUs that the variants want, by variant id, and the variants' ids in order: where
// two want the same SKU, the first has it.
func (d Decision) Wishes() (order []string, skus map[string]string) {
	return d.desired.order, d.desired.skus
}

// Reviewable tells whether a record's listing is one that a review may find outdated.
func Reviewable(r store.Record) bool { return r.OnSale && r.ShopID != "" && len(r.ShopState) > 0 }

// Reviewable tells whether the adapter is to be asked, before the comparison, what it would write
// otherwise today.
func (d Decision) Reviewable() bool { return d.Step == Compare && Reviewable(d.rec) }

// Compared is the decision that follows a Compare: nothing, or a write of what differs.
func (d Decision) Compared(f Facts) Decision {
	d.assign(f.SKUs)
	d.observe(f.Observed)
	changed := d.changed()
	if d.revives() {
		changed |= shopadapter.FieldVariants
	}
	if d.named() && hasRefused(d.rec) { // what was refused is asked about again
		changed |= shopadapter.FieldVariants | shopadapter.FieldPrice | shopadapter.FieldStock
	}
	// else it counts as nothing outdated
	if f.ReviewErr != nil && d.mark.Cause&(store.CauseAsked|store.CauseRetry) != 0 {
		return d.fails(event{kind: eventFailed, err: shopadapter.Explain(f.ReviewErr)})
	}
	if f.ReviewErr == nil {
		changed |= f.Outdated & shopadapter.TextFields &^ d.by.Rules.Keep
	}
	d.by.Rules.keepsPictures(&d.rec, d.print.differing(d.Product, d.rec))
	if wantsPictures(d.rec, d.mark.Cause, d.asked) && !changed.Has(shopadapter.FieldImages) {
		if changed == shopadapter.NoFields {
			d.again = shopadapter.FieldImages
		}
		changed |= shopadapter.FieldImages
	}
	changed &^= d.Product.Unknown
	switch {
	case d.stands():
		return d.ends(event{kind: eventStands})
	case changed == shopadapter.NoFields && d.rec.OnSale:
		d.remember(shopadapter.Listing{})
		d.Result = Unchanged
		return d.ends(event{kind: eventUnchanged, unread: d.Product.Unknown})
	default:
		return d.publish(changed)
	}
}

// changed is the groups to write: those that differ from, or were attempted since, the last settled
// write, and those given back by the merchant.
func (d *Decision) changed() shopadapter.Fields {
	if d.rec.WrittenAt == 0 {
		return shopadapter.AllFields
	}
	changed := d.print.differing(d.Product, d.rec) | d.rec.Attempted
	// an attempt whose end is not known may have added a variant with figures of its own
	if d.rec.Attempted.Has(shopadapter.FieldVariants) {
		changed |= shopadapter.FieldPrice | shopadapter.FieldStock
	}
	if d.mark.Cause&store.CausePrices != 0 {
		changed |= shopadapter.FieldPrice
	}
	changed |= d.by.wrong(d.rec)
	keep := d.by.Rules.Keep
	return changed&^keep | d.rec.Reset&(d.rec.Kept|^keep)
}

// stands reports whether the content that met a refusal is unchanged, and nobody asks for another
// try: it would meet the refusal again. After an attempt with other content whose end is not known
// that is not enough: something may be on sale.
func (d *Decision) stands() bool {
	p := d.start.Problem
	if p.Kind == store.ProblemRejected && d.start.Open || d.named() ||
		p.Kind == store.ProblemBlocked && d.mark.Cause&store.CauseRetry != 0 {
		return false
	}
	return (p.Kind == store.ProblemRejected || p.Kind == store.ProblemBlocked) && len(p.Content) > 0 &&
		bytes.Equal(p.Content, d.print.content())
}
