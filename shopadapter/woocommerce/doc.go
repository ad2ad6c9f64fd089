// Package woocommerce keeps listings in a WooCommerce shop through its REST API v3, as WooCommerce
// 11 was seen to behave. 9.6 or later is needed.
//
// A write looks at the product and its variations, always, and writes what differs:
//
//	GET products/{id}, GET products/{id}/variations   what stands; for a new one GET products?sku=
//	POST products                                     a draft, with its note and its SKU
//	PUT products/{id}                                 only where the options change: a draft, with those
//	POST products/{id}/variations/batch               what differs, a hundred at a time
//	PUT products/{id}                                 texts, pictures and note, and "publish"
//
// A call may end behind any step, and the next one converges. WooCommerce cannot search its
// metadata. So the note, under the key "_pubsync", says whose a product is and what was written
// last, and the SKU is how it is found again: the shop lets no two products have one, even when two
// requests arrive at the same moment. A creation that is repeated after a lost answer is refused
// with the id of the first. Each answer of a look-up is held against the note: WooCommerce ignores
// filters that it does not know, folds case, splits at commas and returns variations as well. A
// copy that the merchant makes carries the note along, and is told by the product's id in it.
//
// PHP goes on working when its client is gone, and a repeated creation of variations makes them
// twice: after a write without an answer the variations are read until they stand still, and a
// double loses the younger. PHP writes the status before the price, so that a product is made as a
// draft, and a variation on a product that is on sale is private until the shop has shown it whole.
// Its mark says that it waits; a private one without that was switched off by the merchant, and
// stays so.
//
// What the merchant typed stays: texts and details by what the note says was written, a sale price
// beside the regular one, attributes and variations of their own, and the words that they gave to
// options and values. A product that was taken over is never deleted, but given back.
package woocommerce
