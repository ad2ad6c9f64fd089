package httpshop

import (
	"context"

	"github.com/pubsync/pubsync/shopadapter"
)

// Restock puts the product that was last sent, with other figures: the body of a PUT is always whole, and its updatedAt that of the texts. Where that
// product is not known any more, or has other variants, the error is ErrWhole.
func (a *adapter) Restock(
	ctx context.Context, ref shopadapter.Ref, variants []shopadapter.Figures, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	last, known := unpack(ref.State)
	p, same := last.Refigured(variants)
	if !known || !same || ref.Listing == "" || ref.Reset != shopadapter.NoFields || p.ID != ref.Publication {
		return shopadapter.Listing{}, shopadapter.ErrWhole
	}
	return a.put(ctx, ref, p, changed)
}
