package publication

import (
	"bytes"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Facts are the results of a Compare.
type Facts struct {
	SKUs map[string]string // variant id -> the SKU that the store would give it
	// Observed is the listing as it stands in the shop, where a person asked; nil: not observed.
	Observed *Observation
	Err      error // why the shop could not say
}

// Wishes are the SKUs that the variants want, by variant id, and the variants' ids in order. Where
// two want the same SKU, the first gets it.
func (d Decision) Wishes() (order []string, skus map[string]string) {
	return d.desired.order, d.desired.skus
}

// Compared is the decision that follows a Compare: nothing, or a write of what differs.
func (d Decision) Compared(f Facts) Decision {
	d.assign(f.SKUs)
	d.observe(f.Observed)
	changed := d.changed()
	if d.revives() {
		changed |= shopadapter.FieldVariants
	}
	if d.named() && hasRefused(d.rec) { // refused variants are tried again
		changed |= shopadapter.FieldVariants | shopadapter.FieldPrice | shopadapter.FieldStock
	}
	if f.Err != nil {
		d.unanswered = d.named()
		return d.fails(event{kind: eventFailed, err: shopadapter.Explain(f.Err)})
	}
	d.by.Rules.keepsPictures(&d.rec, d.print.differing(d.Product, d.rec))
	if wantsPictures(d.rec, d.mark.Cause, d.asked) && !changed.Has(shopadapter.FieldImages) {
		if changed == shopadapter.NoFields {
			d.again = shopadapter.FieldImages
		}
		changed |= shopadapter.FieldImages
	}
	changed &^= d.Product.Unknown
	if driftHeld(d.rec) && d.rec.OnSale && !d.rec.Open { // whatever else would write it
		changed &^= shopadapter.FieldPrice
	}
	switch {
	case d.stands():
		return d.orOffSale(event{kind: eventStands})
	case changed == shopadapter.NoFields && d.inPlace():
		d.remember(shopadapter.Listing{})
		d.Result = Unchanged
		return d.ends(event{kind: eventUnchanged, unread: d.owed()})
	default:
		return d.publish(changed)
	}
}

// changed is the groups to write: those that differ from the last settled write, those attempted
// since, and those that the merchant has given back.
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

// stands reports whether the content that was refused is unchanged and nobody asks for another try:
// it would be refused again. It is false after an attempt whose end is not known with other
// content: something may be on sale.
func (d *Decision) stands() bool {
	p := d.start.Problem
	if p.Kind == store.ProblemRejected && d.start.Open || d.named() ||
		p.Kind == store.ProblemBlocked && d.mark.Cause&store.CauseRetry != 0 {
		return false
	}
	return (p.Kind == store.ProblemRejected || p.Kind == store.ProblemBlocked) && len(p.Content) > 0 &&
		bytes.Equal(p.Content, d.print.content())
}
