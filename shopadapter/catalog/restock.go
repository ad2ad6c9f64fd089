package catalog

import (
	"context"
	"errors"
	"io/fs"

	"github.com/pubsync/pubsync/shopadapter"
)

// restock writes the record that is on disk with other figures. A record whose variants are others,
// or that may have missed changes, needs the whole product.
func (c *catalog) restock(
	ctx context.Context, ref shopadapter.Ref, figured shopadapter.Product, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	old, err := c.load(fileName(ref.Publication))
	if errors.Is(err, fs.ErrNotExist) && ref.Listing != "" {
		return c.Publish(ctx, ref, shopadapter.Product{}, changed) // it was deleted by hand
	}
	if err != nil || ref.Listing == "" || ref.Reset != shopadapter.NoFields || len(old.Stamp.Refused) > 0 ||
		!old.Stamp.OnSale && !ref.OnSale {
		return shopadapter.Listing{}, shopadapter.ErrWhole
	}
	p, same := old.Refigured(shopadapter.FiguresOf(figured.Variants))
	if !same || len(refusals(p.Variants)) > 0 {
		return shopadapter.Listing{}, shopadapter.ErrWhole
	}
	return c.Publish(ctx, ref, p, changed)
}
