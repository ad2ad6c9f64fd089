package httpshop

import (
	"context"
	"errors"
	"net/http"

	"github.com/pubsync/pubsync/shopadapter"
)

// restock has the endpoint hold other figures, by PATCH. Where it accepts no figures alone, or does
// not hold the product whole, the error is ErrWhole.
func (a *adapter) restock(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	said, err := a.said.Get(ctx, false)
	if ref.Listing == "" || ref.Reset != shopadapter.NoFields || err != nil || !bool(said.Figures) {
		return shopadapter.Listing{}, shopadapter.ErrWhole
	}
	prices, err := a.prices()
	if err != nil {
		return shopadapter.Listing{}, err
	}
	body, err := EncodeFigures(prices.Figures(shopadapter.FiguresOf(p.Variants)), p.UpdatedAt, changed)
	if err != nil {
		return shopadapter.Listing{}, err
	}
	address, err := a.product(ref.Publication)
	if err != nil {
		return shopadapter.Listing{}, err
	}
	resp, err := a.send(ctx, http.MethodPatch, address, body)
	switch {
	case err != nil:
		return shopadapter.Listing{}, err
	case deletedByHand(resp):
		return shopadapter.Listing{}, shopadapter.ErrGone
	case resp.Status == http.StatusNotFound, resp.Status == http.StatusConflict:
		return shopadapter.Listing{}, shopadapter.ErrWhole
	case resp.Status == http.StatusMethodNotAllowed, resp.Status == http.StatusNotImplemented:
		a.said.Forget() // it accepts none any more
		return shopadapter.Listing{}, shopadapter.ErrWhole
	case resp.Status/100 != 2:
		return shopadapter.Listing{}, a.judge(ctx, resp)
	}
	listing, err := a.readListing(resp, p)
	if listing.ID != "" && listing.ID != ref.Listing {
		return shopadapter.Listing{}, errors.Join(shopadapter.ErrWhole, err) // another product: a PUT says which
	}
	listing.State = ref.State
	return listing, err
}
