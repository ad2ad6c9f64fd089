package laws_test

import (
	"context"
	"net/http"
	"net/url"

	"github.com/pubsync/pubsync/shopadapter"
)

// restock patches the variants that the shop has, and needs no State for it.
func (a *refAdapter) restock(
	ctx context.Context, ref shopadapter.Ref, figures []shopadapter.Variant, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	have, err := a.find(ctx, ref)
	switch {
	case err != nil:
		return shopadapter.Listing{}, err
	case have == nil && a.sabotage == restocksUnknown:
		have, _, err = a.create(ctx, shopadapter.Product{ID: ref.Publication, Title: "A product"}, map[string]string{})
		if err != nil {
			return shopadapter.Listing{}, err
		}
		return shopadapter.Listing{ID: shopadapter.ListingID(have.ID)}, nil
	case have == nil && ref.Listing != "":
		return shopadapter.Listing{}, shopadapter.ErrGone
	case have == nil:
		return shopadapter.Listing{}, shopadapter.ErrWhole
	case !have.OnSale && ref.OnSale && a.sabotage != restocksHidden:
		return shopadapter.Listing{}, shopadapter.ErrHidden
	case len(figures) != len(have.Variants) && a.sabotage != restocksSome:
		return shopadapter.Listing{}, shopadapter.ErrWhole
	}
	of := map[string]shopadapter.Variant{}
	for _, f := range figures {
		of[f.ID] = f
	}
	listing := shopadapter.Listing{
		ID: shopadapter.ListingID(have.ID), URL: "https://shop.example.com/" + have.ID, State: ref.State,
	}
	for i, v := range have.Variants {
		f, named := of[v.Ref]
		if !named && a.sabotage != restocksSome {
			return shopadapter.Listing{}, shopadapter.ErrWhole
		}
		listing.Variants = append(listing.Variants, shopadapter.ListedVariant{ID: v.Ref, ShopID: v.ID})
		if !named || i > 0 && a.sabotage == restocksOne {
			continue
		}
		w := shopadapter.Variant{Price: f.Price, Quantity: f.Quantity, Backorders: f.Backorders}
		if a.sabotage == restocksAll {
			changed |= shopadapter.FieldPrice | shopadapter.FieldStock
		}
		a.fill(&v, w, changed&(shopadapter.FieldPrice|shopadapter.FieldStock), false)
		if err := a.call(ctx, http.MethodPatch, "/products/"+url.PathEscape(have.ID)+"/variants/"+v.ID, v, &v); err != nil {
			return listing, err
		}
	}
	if a.sabotage == restocksTexts {
		return listing, a.patch(ctx, have, map[string]any{"title": "A product"})
	}
	return listing, nil
}
