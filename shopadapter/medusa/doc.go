// Package medusa keeps listings in a Medusa 2 shop, version 2.17 or later, through its Admin API. Its
// README says what the shop needs, and what goes where.
//
// A product carries the publication's key as its external_id, and the note as "pubsync" in its
// metadata. Both are needed: the external_id finds it, the note proves it. A SKU is never looked at.
// From the first complete write on the note holds the product's own id, so a copy that the merchant
// makes is the merchant's. The handle ends in a digest of the key, and Medusa lets no two products
// share one: a creation that is repeated while the first is under way fails, and the next call finds
// the product.
//
// One request reads the product whole; the draft is made with texts, options, pictures, category and
// sales channel; options and variants follow, the latter known by "pubsync" in their own metadata;
// then the quantities at the stock location, the translations, and one write of the product with the
// status "published".
//
// A variant whose choice or SKU changes is replaced by another, because Medusa keeps the SKU a second
// time, in its inventory. Where the set of options changes all variants are replaced, with the product
// out of sale. An option that the merchant added blocks such changes.
//
// A price is the variant's in the currency that has no rules and no quantity; the merchant's other
// prices stay. Medusa loads no pictures: whether an address works is not known. Each detail is the
// merchant's or the adapter's on its own: the note in "pubsync_details" of a variant's metadata, and in
// the product's, has a digest of each that was written.
package medusa
