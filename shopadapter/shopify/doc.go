// Package shopify keeps listings in a Shopify store, through the Admin GraphQL API of version
// 2026-07, which the tests' requests are judged by. Publish says which requests a write takes.
//
// A product carries the publication's key in the metafield pubsync.publication. Its definition, made
// by the first write, has Shopify's type id, which makes the value unique in the store: productSet
// with that custom id makes the product, or finds the one that an earlier call with a lost answer has
// made. The key is what counts; neither a SKU nor a handle is ever looked at. A product that the
// merchant duplicates comes without the key, and is the merchant's. One whose key somebody cleared is
// Blocked, as far as State or note tell that it is ours, until a person takes it back.
//
// The metafield pubsync.stamp holds the note: a hash of what was last written to each text group. It
// is written in the same request as the texts, and before variants, pictures and translations, for
// which it therefore also holds what they may still be. productSet deletes what a list does not name,
// so options and variants are always sent whole, and texts, tags and metafields go through
// productUpdate once the product is made.
//
// A variant carries the marketplace's id in the metafield pubsync.variant and keeps its Shopify id
// when it is renamed. A product has nine hundred at the most, since the marks of more would make the
// request cost more than Shopify takes. More than two hundred variants are written in the background.
//
// Stock is the quantity available at one location. Another value of LOCATION does not move stock:
// until the products are stocked there, they are blocked with a message that says so.
//
// Shopify charges each request a number of points from a bucket. The adapter reserves what the
// request may cost, as earlier answers of its kind said, so that a refusal is the exception.
package shopify
