package medusa

import (
	"context"
	"iter"
	"strconv"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/pages"
)

// pageSize is how many products one request lists.
const pageSize = 200

// Listings ranges over the products that carry this adapter's stamp. Medusa cannot search in metadata, so all products are read, without their variants.
func (a *Adapter) Listings(ctx context.Context) iter.Seq2[shopadapter.Listed, error] {
	return pages.Listings(pageSize, func(skip int) (page []shopadapter.Listed, length int, err error) {
		s, err := a.shop(ctx, false)
		if err != nil {
			return nil, 0, err
		}
		q := query{"fields": briefFields, "order": "id", "limit": strconv.Itoa(pageSize), "offset": strconv.Itoa(skip)}
		got, err := a.get(ctx, "list products", "products", q)
		for i := range got.Products {
			p := &got.Products[i]
			if n, ours := p.note(); ours {
				ref := shopadapter.Ref{Publication: shopadapter.PublicationID(n.ID), Listing: shopadapter.ListingID(p.ID)}
				page = append(page, shopadapter.Listed{Ref: ref, URL: a.storefront.Page(p.Handle), OnSale: p.onSale(s.channel)})
			}
		}
		return page, len(got.Products), err
	})
}
