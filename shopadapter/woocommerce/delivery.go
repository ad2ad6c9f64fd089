package woocommerce

import (
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/delivery"
)

// Where a product's shipping and returns stand. WordPress keeps a key that begins with an underscore out of pages and of the merchant's list of custom fields.
const (
	deliveryKey = "_pubsync_delivery" // all that the supplier says
	shownKey    = "pubsync_delivery"  // what customers may see
)

// planDelivery adds what the supplier says of shipping and returns, unless the stamp says that it was written.
func (w *write) planDelivery(put map[string]any) {
	digest := delivery.Digest(w.from, w.a.delivery)
	if !w.Changed.Has(shopadapter.FieldShipping) || digest == w.stamp.Delivery {
		return
	}
	var private, public any // null takes away what was there
	if digest != "" {
		private = delivery.Private(w.from)
		if w.a.delivery == delivery.Shown {
			public = delivery.Public(w.from)
		}
	}
	var meta []map[string]any
	for key, value := range map[string]any{deliveryKey: private, shownKey: public} {
		if value != nil || w.stamp.Delivery != "" {
			meta = append(meta, map[string]any{"key": key, "value": value})
		}
	}
	w.stamp.Delivery = digest
	put["meta_data"] = meta
}
