package publication

import (
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// orOffSale ends the look with an event. Where that leaves an earlier version of the product on sale which sells at a
// price, or from a stock, that the supplier does not have any more, it is taken out of sale before. So it is where
// nothing was heard of an attempt to do that.
func (d Decision) orOffSale(e event) Decision {
	unheard := d.start.Open && d.start.Attempted.Has(shopadapter.FieldStock) // it may be out of sale already
	if leavesEarlier(d.rec, e) && (unheard || d.sellsWrong()) {
		d.Step, d.Removal, d.clearing = Unpublish, shopadapter.TakeOffline, &e
		return d
	}
	if e.kind == eventFailed {
		return d.fails(e)
	}
	return d.ends(e)
}

// leavesEarlier reports whether the listing that is on sale is an earlier version once a look has ended with an event:
// what the supplier has now is refused, or has no title.
func leavesEarlier(r store.Record, e event) bool {
	if !listed(r) {
		return false
	}
	p := r.Problem
	switch e.kind {
	case eventFailed:
		return e.err.Kind != shopadapter.Transient && !e.err.ShopWide && !e.gone && !e.hidden
	case eventStands:
		return (p.Kind == store.ProblemRejected || p.Kind == store.ProblemBlocked) && !p.Wide && !p.Gone && !p.Hidden
	default:
		return e.kind == eventWaiting
	}
}

// listed reports whether the shop shows a listing as it was written.
func listed(r store.Record) bool { return r.OnSale && r.ShopID != "" && r.WrittenAt != 0 }

// sellsWrong reports whether the version on sale has other figures than the supplier's of now: another price, more
// pieces, or a variant that is gone. A price that is held is no other one, and more pieces of the supplier's are sold
// later.
func (d *Decision) sellsWrong() bool {
	if len(d.desired.supply) == 0 { // nothing was read
		return false
	}
	keep, sold := d.by.Rules.Keep, soldOf(d.start)
	now := make(map[string]shopadapter.Variant, len(d.desired.product.Variants))
	for _, v := range d.desired.product.Variants {
		now[v.ID] = v
	}
	for id, w := range writtenVariants(d.start) {
		v, priced := now[id]
		if given, known := d.desired.supply[id]; known && !priced { // its price is not known now
			v.Quantity, v.Backorders = given.Quantity-d.by.Rules.StockBuffer, given.Backorders
		}
		has := max(w.Quantity-sold[id], 0)
		switch left := max(v.Quantity-d.stillSold(sold[id], w), 0); {
		case priced && v.Price != w.Price && !keep.Has(shopadapter.FieldPrice):
			return true
		case (left < has || w.Backorders && !v.Backorders) && !keep.Has(shopadapter.FieldStock):
			return true
		}
	}
	return d.by.wrong(d.start)&figures&^keep != 0
}

// tookOut is the decision that follows a listing that was taken out of sale before the look ends.
func (d Decision) tookOut(o Outcome, now time.Time) Decision {
	earlier := d.start.OnSale
	switch lasts := o.Err != nil && shopadapter.Explain(o.Err).Kind != shopadapter.Transient; {
	case lasts && earlier: // the shop would refuse it again
		return d.ends(*d.clearing)
	case o.Err != nil && earlier:
		return d.ends(event{kind: eventFailed, err: shopadapter.Retry(
			"the version on sale has other figures than the supplier, and could not be taken out of sale: %w", o.Err,
		)})
	case o.Err != nil:
		return d.ends(event{kind: eventFailed, err: shopadapter.Retry(
			"what an earlier attempt may have put on sale is still there: %w", o.Err,
		)})
	}
	d.addHistory(o.Instead, now)
	switch {
	case earlier: // it is written whole when it comes back
		endAttempt(&d.rec)
		d.rec.OnSale, d.rec.Attempted = false, shopadapter.AllFields
		d.addHistory("taken out of sale: the supplier has another price or fewer pieces by now, and what it has cannot "+
			"be written", now)
	case d.clearing.kind == eventWaiting:
		endAttempt(&d.rec)
		d.rec.WrittenAt = 0
	}
	return d.ends(*d.clearing)
}

// putsOut reports whether the decision takes out of sale what the record has on sale, and no removal does.
func (d Decision) putsOut() bool { return d.Step == Unpublish && d.clearing != nil && d.start.OnSale }
