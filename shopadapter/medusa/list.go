package medusa

import (
	"context"
	"iter"
	"net/http"
	"strconv"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
)

// pageSize is how many products one request lists.
const pageSize = 200

// Listings ranges over the products that carry this adapter's stamp. Medusa cannot search in metadata, so all products are read, without their variants.
func (a *Adapter) Listings(ctx context.Context) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		s, err := a.shop(ctx, false)
		if err != nil {
			yield(shopadapter.Listed{}, err)
			return
		}
		seen := map[string]bool{} // a product that is deleted meanwhile moves those behind it to an earlier place, never to a later one
		for offset := 0; ; offset += pageSize / 2 {
			var page struct {
				Products []product `json:"products"`
			}
			q := query{"fields": briefFields, "order": "id", "limit": strconv.Itoa(pageSize), "offset": strconv.Itoa(offset)}
			if err := a.call(ctx, http.MethodGet, "products", q, nil, &page); err != nil {
				yield(shopadapter.Listed{}, step.Within("list products", err))
				return
			}
			for i := range page.Products {
				p := &page.Products[i]
				n, ours := p.note()
				if !ours || seen[p.ID] {
					continue
				}
				seen[p.ID] = true
				ref := shopadapter.Ref{Publication: shopadapter.PublicationID(n.ID), Listing: shopadapter.ListingID(p.ID)}
				if !yield(shopadapter.Listed{Ref: ref, URL: a.storefront.Page(p.Handle), OnSale: p.onSale(s.channel)}, nil) {
					return
				}
			}
			if len(page.Products) < pageSize {
				return
			}
		}
	}
}
