// Package shopify keeps listings in a Shopify store through the Admin GraphQL API. Publish lists the requests of a
// write.
//
// The metafield pubsync.publication holds the publication's key. The first write defines it with Shopify's type id,
// which makes it unique in the store: productSet with this custom id makes the product, or finds the one that an
// earlier call with a lost answer made. SKU and handle do not count. A merchant's duplicate lacks the key and is
// the merchant's. A product whose key was cleared is Blocked until a person takes it back, if State or note show
// that it is ours.
//
// The metafield pubsync.stamp holds the note: a hash of each text group as last written. It is written with the
// texts, before variants, pictures and translations; so it also holds what these may still be. productSet deletes
// what a list does not name: options and variants are always sent whole, and texts, tags and metafields of an
// existing product go through productUpdate.
//
// A variant's metafield pubsync.variant holds the marketplace's id; a renamed variant keeps its Shopify id.
//
// Stock is the quantity available at one location. Another LOCATION does not move stock: products that are not
// stocked there are blocked.
//
// Shopify charges requests points from a bucket. The adapter reserves what a request may cost, so refusals are
// rare.
package shopify
