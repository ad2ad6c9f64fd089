package vendure

import "github.com/pubsync/pubsync/shopadapter"

// pageSize is how many products a page of the list holds. Vendure's limit is 1000 unless the owner
// lowered it.
const pageSize = 100

// listed is a product that carries a stamp of its own. Duplicates that the merchant made are none.
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
		Ref: ref,
		Listing: shopadapter.Listing{
			ID: ref.Listing, URL: a.storefront.Page(slugOf(p.Translations, language)), OnSale: p.Enabled,
		},
	}, true
}
