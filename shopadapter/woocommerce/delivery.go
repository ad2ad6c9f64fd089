package woocommerce

import (
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/delivery"
)

// Where a product's shipping and returns stand. WordPress keeps a key that begins with an
// underscore out of pages and of the merchant's list of custom fields.
const (
	deliveryKey = "_pubsync_delivery" // all that the supplier says
	shownKey    = "pubsync_delivery"  // what customers may see
)

// planDelivery adds what the supplier says of shipping and returns, unless the stamp says that it
// was written.
func (w *write) planDelivery(put map[string]any) {
	digest := delivery.Digest(w.Product, w.a.delivery)
	if !w.Changed.Has(shopadapter.FieldShipping) || digest == w.stamp.Delivery {
		return
	}
	private, public := delivery.Texts(w.Product, w.a.delivery)
	var meta []map[string]any
	for key, value := range map[string]string{deliveryKey: private, shownKey: public} {
		switch {
		case value != "":
			meta = append(meta, map[string]any{"key": key, "value": value})
		case w.stamp.Delivery != "":
			meta = append(meta, map[string]any{"key": key, "value": nil}) // takes away what was there
		}
	}
	w.stamp.Delivery = digest
	put["meta_data"] = meta
}
