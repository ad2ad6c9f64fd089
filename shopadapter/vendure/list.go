package vendure

import (
	"context"
	"iter"

	"github.com/pubsync/pubsync/shopadapter"
)

// pageSize is how many products a page of the list holds. Vendure's limit is 1000 unless the owner lowered it.
const pageSize = 100

// Listings ranges over the products that carry a stamp of their own. Duplicates that the merchant made are not among them.
func (a *Adapter) Listings(ctx context.Context) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		// Products that are deleted meanwhile move the later ones forward, so a page begins before the last one ended; what is met twice is named once.
		const overlap = pageSize / 10
		seen := map[string]bool{}
		for skip := 0; ; skip += pageSize - overlap {
			var page struct {
				ActiveChannel channel `json:"activeChannel"`
				Products      struct {
					TotalItems int       `json:"totalItems"`
					Items      []product `json:"items"`
				} `json:"products"`
			}
			err := a.call(ctx, listDocument, map[string]any{"skip": skip, "take": pageSize}, &page)
			if err == nil {
				err = a.expect(page.ActiveChannel)
			}
			if err != nil {
				yield(shopadapter.Listed{}, within("list products", err))
				return
			}
			for i := range page.Products.Items {
				p := &page.Products.Items[i]
				listed, ok := a.listed(p, page.ActiveChannel.Language)
				if !ok || seen[p.ID] {
					continue
				}
				seen[p.ID] = true
				if !yield(listed, nil) {
					return
				}
			}
			if len(page.Products.Items) < pageSize {
				return
			}
		}
	}
}

func (a *Adapter) listed(p *product, language string) (shopadapter.Listed, bool) {
	s := readStamp(p.CustomFields.PubsyncStamp)
	ref := shopadapter.Ref{Publication: shopadapter.PublicationID(s.ID), Listing: shopadapter.ListingID(p.ID)}
	if s.ID == "" || own([]product{*p}, ref) == nil {
		return shopadapter.Listed{}, false
	}
	l := shopadapter.Listed{Ref: ref, OnSale: p.Enabled}
	if t := rowIn(p.Translations, language); t != nil {
		l.URL = a.pageAddress(t.Slug)
	}
	return l, true
}
