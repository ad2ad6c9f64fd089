package vendure

import (
	"context"
	"iter"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/pages"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
)

// pageSize is how many products a page of the list holds. Vendure's limit is 1000 unless the owner
// lowered it.
const pageSize = 100

// Listings ranges over the products that carry a stamp of their own. Duplicates that the merchant
// made are not among them.
func (a *Adapter) Listings(ctx context.Context) iter.Seq2[shopadapter.Listed, error] {
	return pages.Listings(pageSize, func(skip, size int) (list []shopadapter.Listed, length int, err error) {
		var page struct {
			ActiveChannel channel `json:"activeChannel"`
			Products      struct {
				Items []product `json:"items"`
			} `json:"products"`
		}
		err = a.call(ctx, listDocument, map[string]any{"skip": skip, "take": size}, &page)
		if err == nil {
			err = a.expect(page.ActiveChannel)
		}
		for i := range page.Products.Items {
			if listed, ok := a.listed(&page.Products.Items[i], page.ActiveChannel.Language); ok {
				list = append(list, listed)
			}
		}
		return list, len(page.Products.Items), step.Within("list products", err)
	})
}

func (a *Adapter) listed(p *product, language string) (shopadapter.Listed, bool) {
	id := readStamp(p.CustomFields.PubsyncStamp).ID
	if id == "" && p.CustomFields.PubsyncID != nil {
		id = *p.CustomFields.PubsyncID // the stamp is damaged; unless the key is a hash, it is the id
	}
	ref := shopadapter.Ref{Publication: shopadapter.PublicationID(id), Listing: shopadapter.ListingID(p.ID)}
	if id == "" || len(own([]product{*p}, ref.Publication)) == 0 {
		return shopadapter.Listed{}, false
	}
	return shopadapter.Listed{
		Ref:    ref,
		URL:    a.storefront.Page(slugOf(p.Translations, language)),
		OnSale: p.Enabled,
	}, true
}
