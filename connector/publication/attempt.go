package publication

import (
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Attempt is what must be durable before the step is carried out; ok is false where nothing must.
// However the call ends, the record then shows what may have been sent.
func (d Decision) Attempt() (a store.Attempt, ok bool) {
	switch {
	case d.Step == Publish:
		listed, sent := d.rec.ListedAt, d.sent()
		a = ClaimSKUs(d.rec.ID, d.desired.order, d.desired.skus)
		a.Fields = d.Changed
		a.Apply = func(r *store.Record) {
			if r.State == "" {
				r.State = store.StatePending
			}
			r.ListedAt, r.Sent = listed, sent
		}
		return a, true
	case d.Step == Restock:
		sent := d.sent()
		return store.Attempt{ID: d.rec.ID, Fields: d.Changed, Apply: func(r *store.Record) { r.Sent = sent }}, true
	case d.Step == Unpublish && d.unsellable != "", d.putsOut(): // so that it is not taken for somebody's hand
		return store.Attempt{ID: d.rec.ID, Fields: shopadapter.FieldStock, Apply: func(*store.Record) {}}, true
	case d.Step == Unpublish && d.clearing == nil:
		return store.Attempt{
			ID:     d.rec.ID,
			Fields: shopadapter.AllFields,
			Apply:  func(r *store.Record) { r.Removal.Begun = true },
		}, true
	default:
		return store.Attempt{}, false
	}
}

// Attempted is the decision once its attempt is durable. skus are those that the variants got,
// which may differ from those compared: another publication may have claimed one meanwhile.
func (d Decision) Attempted(skus map[string]string) Decision {
	d.rec.Open = true
	if d.Step == Unpublish && d.unsellable != "" || d.putsOut() {
		d.rec.Attempted |= shopadapter.FieldStock
		return d
	}
	if d.Step == Unpublish {
		d.rec.Attempted, d.rec.Removal.Begun = shopadapter.AllFields, true
		return d
	}
	d.rec.Attempted |= d.Changed
	d.rec.Sent = d.sent()
	if d.figured {
		return d
	}
	d.assign(skus)
	return d
}

// assign gives the variants the SKUs that they may use, and takes the fingerprint of the product as
// it then is: what the record remembers once it is written.
func (d *Decision) assign(skus map[string]string) {
	d.desired.label(skus)
	d.desired.product.Unknown = d.unknown()
	d.Product, d.print = d.desired.product, fingerprintOf(d.desired.product)
}

// Sends is the product of Publish and Restock as the shop is to be given it, whatever of it has changed: what the
// shop has sold is not put back.
func (d Decision) Sends() shopadapter.Product {
	p := d.Product
	sold := soldOf(d.rec)
	if len(sold) == 0 {
		return p
	}
	p.Variants = slices.Clone(p.Variants)
	written := writtenVariants(d.start)
	for i, v := range p.Variants {
		p.Variants[i].Quantity = max(v.Quantity-d.stillSold(sold[v.ID], written[v.ID]), 0)
	}
	return p
}

// stillSold is how many of the pieces of a variant that the shop has sold the supplier's figure does not show yet. A
// fall of it is what our own orders look like; a rise is none of them.
func (d *Decision) stillSold(sold int, written store.Variant) int {
	fall := max(offered(written)-d.desired.supply[written.ID].Quantity, 0)
	return max(sold-fall, 0)
}

// offered is the supplier's quantity that the written one of a variant was made from.
func offered(v store.Variant) int {
	if v.Offered == 0 && v.Supplied.Known { // none, or written by an earlier version
		return v.Supplied.Quantity
	}
	return v.Offered
}

// sent is the prices of a write that differ from the last settled ones. A settled price that is the
// merchant's own is not among them.
func (d Decision) sent() (sent []store.Sent) {
	settled := writtenVariants(d.rec)
	for _, v := range d.Product.Variants {
		w, was := settled[v.ID]
		if was && (w.Price == v.Price || !d.Changed.Has(shopadapter.FieldPrice)) {
			continue
		}
		sent = append(sent, store.Sent{Variant: v.ID, Price: v.Price, Cost: v.Cost, MSRP: v.MSRP})
	}
	return sent
}
