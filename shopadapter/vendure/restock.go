package vendure

import (
	"context"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/variants"
)

// Restock writes prices and quantities as Publish does, and neither texts nor the stamp. A product
// that a Publish would do anything else for needs the whole.
func (a *Adapter) Restock(
	ctx context.Context, ref shopadapter.Ref, figures []shopadapter.Figures, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	w, err := a.begin(ctx, ref, variants.Figured(figures), changed)
	if err != nil {
		return shopadapter.Listing{}, err
	}
	if ref.Reset != shopadapter.NoFields || !w.finished() || !w.matchAll() {
		return shopadapter.Listing{}, shopadapter.ErrWhole
	}
	err = w.updateVariants(ctx, false)
	return w.listing(), err
}

// finished reports whether the shop has the product as a Publish leaves it: complete, on sale, and
// without a draft beside it.
func (w *write) finished() bool {
	p := w.view.product
	return p != nil && p.Enabled && len(w.view.strays) == 0 && readStamp(p.CustomFields.PubsyncStamp).complete()
}

// matchAll reports whether the product's variants, each of which can be sold, are our variants in
// the shop.
func (w *write) matchAll() bool {
	w.planVariants()
	vanished := w.matchVariants()
	return len(w.refused)+len(vanished) == 0 && !w.variants.Incomplete()
}
