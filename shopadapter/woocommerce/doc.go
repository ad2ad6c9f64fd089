// Package woocommerce keeps listings in a WooCommerce shop, 9.6 or later, through its REST API v3. The comments tell
// how WooCommerce 11 behaves.
//
// Each write reads the product and its variations and writes what differs: a draft with its note and its SKU, then
// options, then variations in batches, then texts, pictures and "publish" in one request. A call may end after any
// step, and the next one converges.
//
// WooCommerce cannot search its metadata. So a product is found by its SKU, which stays unique even when two
// requests arrive at the same moment. The note, under the key "_pubsync", says whose the product is and what was
// written last. A copy that the merchant makes carries the note too; the product's id in the note tells them apart.
//
// PHP goes on working when its client is gone. After a write without an answer the adapter reads the variations
// until they stand still, and deletes the younger of a double. PHP writes the status before the price, so a new
// variation on a product on sale stays private until the shop has shown it whole. Its mark says that it waits; the
// merchant switched off a private variation without that mark.
package woocommerce
