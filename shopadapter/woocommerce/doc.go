// Package woocommerce keeps listings in a WooCommerce shop through its REST API v3, as WooCommerce 11 was seen to behave.
//
// # Whose a product is
//
// WooCommerce cannot search its metadata, so two marks work together. The stamp, metadata under the key "_pubsync" on the product and on each
// of its variations, says whose a product is; nothing without a readable stamp of this publication is ever written to. The SKU is how a product
// is found again: a product of one variant has the supplier's, a product to choose from has one made from the publication's id, and its
// variations have the supplier's. The shop lets no two products have one SKU, whatever arrives at the same moment, so a creation that is
// repeated after a lost answer is refused with the id of the first one.
//
// A filter that WooCommerce does not know it ignores, and a look-up by SKU ignores case, splits at commas and returns variations as well.
// Whatever comes back is therefore held against the stamp before it is believed. WooCommerce's "duplicate" copies metadata too; such a copy is
// the merchant's, and is told by the id of the original, which the stamp holds.
//
// A SKU that stands on a product of the merchant's own is left there: the publication is blocked, and the message names the product. With
// ADOPT=sku the stamp is put on that product instead; price and stock follow the supplier from then on and all text stays the merchant's. That
// is done where both are of the same shape and the product has no variation that the supplier does not.
//
// # How a write goes
//
// Once the shop's categories are known, making a product of up to a hundred variants and five pictures takes three requests, and one of a single
// variant two:
//
//   - POST products, a draft: name, description, category, options and stamp; with one variant also its price and stock.
//   - POST products/{id}/variations/batch: up to a hundred additions, changes and deletions at a time.
//   - PUT products/{id}: pictures and whatever else differs, the stamp, and "publish".
//
// A change of price or stock is one request, with no look before it: State knows the id of every variation and what was last written to it, and
// the address of the variation in the answer tells whether its product is still on sale. Everything else reads the product first and writes
// what differs. When the names of the options change, or a product of one variant becomes one of several, it is a draft until it is whole again.
//
// # What is lost on the way
//
// PHP goes on working when nobody waits for its answer any more, and the creation of variations is not safe against being repeated. After a
// write without an answer the State says so, and the next call waits until the number of variations stands still before it adds the missing
// ones and deletes doubles. Without State that is done whenever a variation is missing that this call did not just make. A picture whose upload
// was not answered is awaited for half a minute.
//
// The stamp holds a hash of each text as last written, in a form that is the same before and after WooCommerce escaped it, and it is written
// in the same call as the text. Where a shop changes a text beyond that, a plugin's work, the answer shows it and the stamp is mended.
//
// # Pictures
//
// Every address that WooCommerce is given it downloads, also one that it has downloaded before. A picture is therefore given a name in the
// media library that ends in a hash of its address, by which it is known again, with or without State. WooCommerce refuses the whole write for
// one bad picture; that one is found and left out, with a warning, until the supplier changes the pictures. Pictures that are no longer used stay
// in the media library, which is the merchant's: the API has no way to remove them.
//
// # What is written where
//
// The product's own language is written, the translations are not: WooCommerce has one. Prices go to regular_price, so a sale that the merchant
// runs stays; they are written as given, so the shop's setting for prices entered with or without tax has to fit the price rules. Stock is
// managed per variant. Cost, recommended price, EAN and shipping have no place that every WooCommerce has and are not written. An attribute
// that the merchant adds by hand stays, as long as it is not one to choose variations by; so does a variation of the merchant's own.
//
// Publish always puts the product on sale, also when it was made a draft by hand. One that the merchant put in the trash is gone, until the
// caller clears the hint; then it is taken out of the trash again, since it goes on holding its SKU there.
//
// # The shop's strength
//
// Requests in parallel are fewer while the shop answers 503 or slows down, and more again while it does not (additive increase, multiplicative
// decrease). Over https the key and secret are sent as Basic credentials; only where the address is plain http, which WooCommerce takes no
// credentials over, each request is signed with OAuth 1.0a. Redirects are not followed.
package woocommerce
