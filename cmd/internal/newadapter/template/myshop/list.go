package myshop

import (
	"context"
	"iter"
	"net/http"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// List ranges over the products that carry our note, as they stand in the shop. The toy shop
// lists all in one answer: your shop is asked for pages, by kit.Pages.
func (a *adapter) List(ctx context.Context, q shopadapter.Query) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		var all []*product
		if err := a.call(ctx, http.MethodGet, "/api/products", nil, &all); err != nil {
			yield(shopadapter.Listed{}, err)
			return
		}
		for _, p := range all {
			n := p.note()
			if !n.Original(p.ID) || !q.Wants(shopadapter.PublicationID(n.ID)) {
				continue // the merchant's own, or not asked for
			}
			if !yield(a.listed(p, n), nil) {
				return
			}
		}
	}
}

// listed is a product as it stands in the shop. Which texts the merchant edited, the note tells.
func (a *adapter) listed(p *product, n note) shopadapter.Listed {
	var texts kit.Comparison
	texts.CompareText(shopadapter.FieldTitle, p.texts(), n.Text)
	texts.Compare(shopadapter.FieldCategory, kit.HashText(p.Category), n.Category)
	texts.Compare(shopadapter.FieldImages, kit.HashList(p.Images), n.Images)
	o := shopadapter.Listed{
		Ref: shopadapter.Ref{Publication: shopadapter.PublicationID(n.ID), Listing: shopadapter.ListingID(p.ID)},
		Listing: shopadapter.Listing{
			ID: shopadapter.ListingID(p.ID), URL: a.page(p), OnSale: p.OnSale,
			Variants: []shopadapter.ListedVariant{}, Images: len(p.Images), Compared: texts.Compared, Edited: texts.Edited,
		},
	}
	for _, v := range p.Variants {
		o.Variants = append(o.Variants, shopadapter.ListedVariant{
			ShopID: v.ID, SKU: v.SKU, Price: v.Price, Quantity: v.Stock, Backorders: v.Backorders, OnSale: true,
		})
	}
	return o
}
