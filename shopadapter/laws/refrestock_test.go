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
	case !have.OnSale && a.sabotage != restocksHidden, ref.Reset != 0 && a.sabotage != restocksReset:
		return shopadapter.Listing{}, shopadapter.ErrWhole
	case len(figures) != len(have.Variants) && a.sabotage != restocksSome:
		return shopadapter.Listing{}, shopadapter.ErrWhole
	}
	of := map[string]shopadapter.Variant{}
	for _, f := range figures {
		of[f.ID] = f
	}
	if len(of) != len(figures) && a.sabotage != restocksSome {
		return shopadapter.Listing{}, shopadapter.ErrWhole
	}
	listing := shopadapter.Listing{
		ID: shopadapter.ListingID(have.ID), URL: "https://shop.example.com/" + have.ID, State: ref.State,
		Refused: map[string]string{},
	}
	if a.sabotage == unstampsMeanwhile {
		if err := a.patch(ctx, have, map[string]any{"meta": map[string]string{"stamp": ""}}); err != nil {
			return listing, err
		}
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
		err := a.call(ctx, http.MethodPatch, "/products/"+url.PathEscape(have.ID)+"/variants/"+v.ID, v, &v)
		if e := shopadapter.Explain(err); e != nil && e.Kind == shopadapter.Rejected && a.sabotage != refusalIsFatal {
			listing.Refused[f.ID] = e.Message
		} else if err != nil {
			return listing, err
		}
	}
	if a.sabotage == unstampsMeanwhile {
		return listing, a.patch(ctx, have, map[string]any{"meta": map[string]string{"stamp": have.Meta["stamp"]}})
	}
	if a.sabotage == restocksTexts {
		return listing, a.patch(ctx, have, map[string]any{"title": "A product"})
	}
	return listing, nil
}
