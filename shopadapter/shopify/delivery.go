package shopify

import (
	"cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/delivery"
)

// The metafields of a product's shipping and returns.
const (
	supplierDeliveryKey = "supplier_delivery" // all that the supplier says
	deliveryKey         = "delivery"          // what customers may see
)

// planDelivery says what to write of shipping and returns: nothing where the stamp says that it was
// written.
func (w *write) planDelivery() {
	digest := delivery.Digest(w.Product, w.a.delivery)
	if !w.Changed.Has(shopadapter.FieldShipping) || digest == w.stamp.Delivery {
		return
	}
	private, public := delivery.Texts(w.Product, w.a.delivery)
	for _, field := range []struct{ key, value string }{{supplierDeliveryKey, private}, {deliveryKey, public}} {
		if field.value != "" || w.stamp.Delivery != "" {
			value := cmp.Or(field.value, "{}") // a metafield cannot be emptied by a write
			w.delivery = append(
				w.delivery,
				input{"namespace": namespace, "key": field.key, "type": "json", "value": value},
			)
		}
	}
	w.stamp.Delivery = digest
}
