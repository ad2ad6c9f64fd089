package stamp

import "github.com/pubsync/pubsync/shopadapter"

// An Owner begins the stamp of a product. It tells how far the product has come, and whether it is
// the one that the stamp was written for:
//
//	ID is ""        the product is the merchant's
//	Product is ""   a draft of the adapter's, never complete
//	Product is set  complete once; on any other product the stamp was copied, and that is the merchant's
type Owner struct {
	Head
	Product string `json:"product,omitempty"` // the shop's id of the product, from the first complete write on
}

// Complete reports whether the product was ever finished. One that was not is written whole.
func (o Owner) Complete() bool { return o.Product != "" }

// Owns reports whether the stamp is that of the publication, on a product with this id.
func (o Owner) Owns(publication shopadapter.PublicationID, product string) bool {
	return o.ID != "" && o.ID == string(publication) && o.Original(product)
}

// Original reports whether the stamp was written for the product with this id, and is no copy.
func (o Owner) Original(product string) bool {
	return o.ID != "" && (o.Product == "" || o.Product == product)
}
