// Package woocommerce keeps listings in a WooCommerce shop through its REST API v3, as WooCommerce
// 11 was seen to behave. 9.6 or later is needed.
//
// A write always looks at the product and its variations, and writes what differs: a draft with its
// note and its SKU, then options, then variations, a hundred at a time, then texts, pictures and
// "publish" in one request. A call may end behind any step, and the next one converges.
//
// WooCommerce cannot search its metadata. So the note, under the key "_pubsync", says whose a product
// is and what was written last, and the SKU is how it is found again: no two products have one, even
// when two requests arrive at the same moment. Each answer of a look-up is held against the note. A
// copy that the merchant makes carries the note along, and is told by the product's id in it.
//
// PHP goes on working when its client is gone: after a write without an answer the variations are
// read until they stand still, and a double loses the younger. PHP writes the status before the
// price: a new variation on a product that is on sale is private until the shop has shown it whole.
// Its mark says that it waits; a private one without that was switched off by the merchant.
package woocommerce
