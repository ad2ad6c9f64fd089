package medusa

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
	finished := w.held.onSale(w.shop.channel) && w.note.complete() && !w.note.Pending && len(w.strays) == 0
	same := w.planVariants(ctx) == nil && len(w.refused)+len(w.match(w.fits)) == 0 && !w.variants.Incomplete()
	if !finished || !same || ref.Reset != shopadapter.NoFields {
		return shopadapter.Listing{}, shopadapter.ErrWhole
	}
	if err = w.send(ctx, "update", false); err == nil {
		err = w.writeStock(ctx)
	}
	return w.listing(), err
}
