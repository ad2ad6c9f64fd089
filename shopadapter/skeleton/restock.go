package skeleton

import (
	"context"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
)

// restock is Publish for a product of figures: Find, the guard, and Change. The guard lets nothing
// pass that a whole product would do anything else for: a product out of sale or never complete, a
// write of unknown outcome, a stray draft, a group that is given back, and variants that are not
// exactly those that the figures name.
func restock[V any, S Shop[V]](
	ctx context.Context,
	ref shopadapter.Ref,
	p shopadapter.Product,
	changed shopadapter.Fields,
	open func(*Write[V]) S,
) (shopadapter.Listing, error) {
	w := newWrite[V](ref, figured(p.Variants), changed&(shopadapter.FieldPrice|shopadapter.FieldStock))
	w.Figures = true
	var shop Shop[V] = open(w)
	if err := w.find(ctx, shop); err != nil {
		return shopadapter.Listing{}, err
	}
	if !w.stands(shop) {
		return shopadapter.Listing{}, shopadapter.ErrWhole
	}
	switch err := w.plan(ctx, shop); {
	case err == nil && !w.exact(), step.Rejected(err):
		return shopadapter.Listing{}, shopadapter.ErrWhole
	case err != nil:
		return shopadapter.Listing{}, err
	}
	err := shop.Change(ctx, false)
	if s, ok := shop.(Stocking); ok && err == nil {
		err = s.Stock(ctx)
	}
	return w.listing(shop), err
}

// stands reports whether the shop has the product as a Publish leaves it.
func (w *Write[V]) stands(shop Shop[V]) bool {
	return w.Found.Complete && !w.Found.Pending && len(w.Found.Strays) == 0 && shop.OnSale() &&
		w.Ref.Reset == shopadapter.NoFields
}

// exact reports whether our variants in the shop are those that are planned, none of them refused.
func (w *Write[V]) exact() bool {
	return len(w.Refused)+len(w.Surplus) == 0 && !w.Variants.Incomplete()
}
