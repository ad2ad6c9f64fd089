package medusa

import (
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/delivery"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// deliveryMark is the member of a product's metadata that says what the supplier says of shipping and returns. Storefronts can read metadata, so what the
// supplier charges is not in it.
const deliveryMark = "pubsync_delivery"

// delivery is what deliveryMark shall hold, "" for nothing. Where shipping did not change, that is what it holds.
func (w *write) delivery() string {
	switch {
	case !w.Changed.Has(shopadapter.FieldShipping):
		return w.held.Metadata.text(deliveryMark)
	case delivery.Digest(w.product, w.a.chosen["DELIVERY"]) == "":
		return ""
	}
	return delivery.Public(w.product)
}

// marks is the metadata to write: the stamp, and shipping and returns where they differ. Medusa takes a member away that is written as "".
func (w *write) marks() metadata {
	m := metadata{mark: stamp.Encode(w.note)}
	if want := w.delivery(); want != w.held.Metadata.text(deliveryMark) {
		m[deliveryMark] = want
	}
	return m
}

// marked reports whether the product holds what marks would write.
func (w *write) marked() bool {
	return w.held.Metadata.mark() == stamp.Encode(w.note) && w.held.Metadata.text(deliveryMark) == w.delivery()
}
