package httpshop

import (
	"context"
	"errors"
	"net/http"

	"github.com/pubsync/pubsync/shopadapter"
)

// Restocks reports whether the endpoint accepts figures alone: GET /health says so with "figures":
// true.
func (a *adapter) Restocks(ctx context.Context) bool {
	said, err := a.said.Get(ctx, false)
	return err == nil && bool(said.Figures)
}

// Restock has the endpoint hold other figures, by PATCH. Where it accepts no figures alone, or does
// not hold the product whole, the error is ErrWhole.
func (a *adapter) Restock(
	ctx context.Context, ref shopadapter.Ref, variants []shopadapter.Figures, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	if ref.Listing == "" || ref.Reset != shopadapter.NoFields || !a.Restocks(ctx) {
		return shopadapter.Listing{}, shopadapter.ErrWhole
	}
	prices, err := a.prices()
	if err != nil {
		return shopadapter.Listing{}, err
	}
	body, err := EncodeFigures(prices.Figures(variants), ref.UpdatedAt, changed)
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
	listing, err := a.readListing(resp, shopadapter.Product{Variants: figured(variants)})
	if listing.ID != "" && listing.ID != ref.Listing {
		return shopadapter.Listing{}, errors.Join(shopadapter.ErrWhole, err) // another product: a PUT says which
	}
	listing.State = ref.State
	return listing, err
}

// figured is variants that have nothing but their ids, to read an answer about them.
func figured(figures []shopadapter.Figures) []shopadapter.Variant {
	variants := make([]shopadapter.Variant, len(figures))
	for i, f := range figures {
		variants[i].ID = f.ID
	}
	return variants
}
