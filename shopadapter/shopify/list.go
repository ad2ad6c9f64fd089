package shopify

import (
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

type owned struct {
	Owner *product `json:"owner"`
}

// listed is the listing that a product is. A product whose stamp was damaged is still ours; unless
// its key is a hash, the key is the publication's id.
func (a *Adapter) listed(p *product) (shopadapter.Listed, bool) {
	if p == nil || p.Publication == nil || p.Publication.Value == "" {
		return shopadapter.Listed{}, false
	}
	id := p.stamp().ID
	if stamp.Key(id) != p.Publication.Value {
		id = p.Publication.Value
	}
	if stamp.Key(id) != p.Publication.Value {
		return shopadapter.Listed{}, false
	}
	return shopadapter.Listed{
		Ref:     shopadapter.Ref{Publication: shopadapter.PublicationID(id), Listing: shopadapter.ListingID(p.ID)},
		Listing: shopadapter.Listing{ID: shopadapter.ListingID(p.ID), URL: a.address(p), OnSale: p.onSale()},
	}, true
}
