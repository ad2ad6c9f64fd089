// Package woocommerce keeps listings in a WooCommerce shop through its REST API v3, as WooCommerce
// 11 was seen to behave.
//
// # Whose a product is
//
// WooCommerce cannot search its metadata, so two marks work together. The stamp, metadata under the
// key "_pubsync" on the product and on each of its variations, says whose a product is. The adapter
// writes only to products with a readable stamp of this publication. The SKU is how a product is
// found again. A simple product has the supplier's SKU. A variable product has one made from the
// publication's id, and its variations have the supplier's. The shop lets no two products have one
// SKU, even when two requests arrive at the same moment. So a creation that is repeated after a
// lost answer is refused with the id of the first one.
//
// WooCommerce ignores a filter that it does not know. A look-up by SKU ignores case, splits at
// commas and returns variations as well. Each answer is therefore held against the stamp before it
// is believed. WooCommerce's "duplicate" copies metadata too; such a copy is the merchant's, and is
// told by the id of the original, which the stamp holds.
//
// A SKU that stands on a product of the merchant's own is left there: the publication is blocked,
// and the message names the product. With ADOPT=sku the stamp is put on that product instead; price
// and stock follow the supplier from then on and all text stays the merchant's. That is done where
// both are of the same shape and the product has no variation that the supplier does not. What was
// taken over is never deleted: it is given back as a draft without the stamp, with the variations
// it had and none that were added. A variation of the merchant's that the supplier drops becomes
// private.
//
// # How a write goes
//
// The order is that of package skeleton. Draft makes the product, and finds out where a creation of
// the past has made it already; the call then begins again with that product. Change brings the
// variations in line, in batches. Sell writes the product itself, with its pictures, and puts it on
// sale.
//
// Once the shop's categories are known, a product of up to a hundred variants and five pictures
// takes three requests. A simple product takes two:
//
//   - POST products, a draft: name, description, category, options and stamp; with one variant also
//     its price and stock.
//   - POST products/{id}/variations/batch: up to a hundred additions, changes and deletions at a time.
//   - PUT products/{id}: pictures and whatever else differs, the stamp, and "publish".
//
// A simple product is not made on sale in one request, though it could be: PHP writes
// the row with its status first, and one that died there would leave a product on sale without a
// price.
//
// A change of price or stock is one request, with no look before it: State knows the id of every
// variation and its last write. The address of the variation in the answer tells whether its
// product is still on sale; where it is not, the call begins again with a look. Everything else
// reads the product first and writes what differs. A product becomes a draft when the names of its
// options change, or when one variant becomes several. It stays a draft until it is whole again.
//
// A write of prices and stock alone is one look at the product and then that request.
// With the look it leaves alone what the merchant took away: a listing out of sale, in the trash,
// or without one of its variations. Without a State that is certain it needs the whole product.
//
// # What is lost on the way
//
// PHP goes on working when its client is gone, and a repeated creation of variations makes them
// twice. After a write without an answer the State says so. The next call then waits until the
// number of variations stands still, adds the missing ones, and deletes doubles. Without State that
// is done whenever a variation is missing that this call did not just make. A picture whose upload
// was not answered is awaited for half a minute.
//
// A caller that was killed in the middle of a call, or that was put back from a backup, comes with
// the State from before. It does not say then that it left the listing on sale (Ref.OnSale). So
// prices and stock that it names are written to every variation, whatever the State says of them.
// Where it names SKUs and options, or the State is that of a call that failed, the variations are
// read.
//
// PHP that dies in the middle of a creation leaves a draft without a stamp, with or without the
// SKU. Its slug ends in a hash of the publication's id. Before a product is made, the adapter
// therefore looks through the shop's drafts for such a leftover: once for a process, and again by
// its slug after each creation that did not end well. A second try goes on with the leftover. A
// variation carries such a mark in its row as menu_order. On a product that is on sale a new
// variation is private until the shop has confirmed the whole of it; one that PHP died over is
// deleted by the next try.
//
// A listing whose hint is lost may have none of the SKUs that are wanted now: the supplier changed
// them, or PHP died in the middle of an exchange. The adapter knows the stamps of the hundred
// youngest products, from one page of the shop's list for a process and from its own creations. By
// its stamp such a listing is found and goes on. Where the whole store is lost the caller knows
// each listing from List.
//
// The stamp holds a hash of each text as last written, in a form that is the same before and after
// WooCommerce escaped it. It is written in the same call as the text. Where a plugin changes a text
// beyond that, the answer shows it and the stamp is mended. PHP writes the stamp of a change before
// the text, so the stamp also remembers what the shop held before: where PHP died between the two,
// the old text is no edit of the merchant's.
//
// # What stands in the shop
//
// An observation reads the shop's products, and the variations of ours, a hundred in a request and
// one request at a time. Of 1,000 products of three variants it makes 44 requests.
//
// The regular price is compared. A sale price is the merchant's, and stays out. A variation whose
// stock is not managed, or is managed for the product as a whole, is one that is not counted. Where
// stock management is switched off for the whole shop no quantity is told. Of brand and details the
// brand alone is compared: sizes and EANs would need the note of each variation besides. A value
// that somebody typed there stays all the same, and is named as kept at the next write of details.
//
// A variation that the merchant switched off (private) stays off, whatever is written, until
// Ref.Revive. One that the adapter itself made private is told from it by the State, and where that
// is lost by the stamp on the variation, which says that it waits.
//
// WooCommerce may show visitors a placeholder ("coming soon") in place of the whole site, or of the
// shop's pages alone. No route of the API tells it to a shop manager; the page of a product on sale
// does, looked at as a stranger. Products can be written all the while, so that is a Warning.
//
// # The rooms
//
// The adapter is parted into rooms below internal, each with what was seen on a real shop:
//
//   - rest: the client, its signatures, its answers and refusals, and why a shop does not answer.
//   - words: what WordPress makes of a text.
//   - category: finding the shop's category, and making the branch that is missing.
//   - picture: loading pictures within their time, each once.
//   - brand: finding the shop's brand, and making the one that is missing.
//   - variation: what is to be done to variations, and the attributes that they are chosen by.
//   - detail: weight, size and EAN, and what was last written of them.
//   - fakeshop: the WooCommerce of the tests.
//
// This package is the calls that package skeleton makes: it finds the product of a publication,
// makes it or takes it over, writes it, and says what it has become.
//
// # What is written where
//
// The product's own language is written, the translations are not: WooCommerce has one. Prices go
// to regular_price, so a sale that the merchant runs stays. Where the shop calculates taxes and is
// given prices without them, a price is written without tax, with up to six decimals, so that a
// visitor is shown the one that the price rules made: two decimals cannot show 20.02 at 21 %. A
// dozen then costs twelve times as much, too. Where WooCommerce rounds the tax of each line half
// up, a few prices cannot be shown whatever is written: 20.01 at 20 % is 20.02. Currency tells the
// shop's own where the key's user may see the settings, as a shop manager may. Stock is managed per
// variant. Cost and recommended price have no place that every WooCommerce has and are not written.
// Weight, size and EAN stand on each variation, and on a product with nothing to choose, in the
// shop's units. A note beside them holds what was written last; the product's stamp has a digest of
// all, so that variations are read for them only where the supplier changed some. An EAN is unique
// in the shop: one that another product has is left out, and tried again with the next write.
// Materials and country of origin, in which all variants agree, are attributes that nothing is
// chosen by. Diameter, volume, lead time, tags and units to the case have no field, and tags are
// the merchant's. An attribute that the merchant adds by hand stays, and so does a variation of the
// merchant's own; one more attribute to choose variations by blocks the publication once a choice
// is to be written.
//
// A product that is hidden in the catalogue and in searches, or behind a password, is not on sale.
// A product on sale whose stamp somebody deleted is left as it is, though the State names it: it is
// Blocked, until Ref.Revive has the adapter put the stamp back. A text that is not as the supplier
// has it then counts as the merchant's.
//
// Publish always puts the product on sale, also when it was made a draft or hidden by hand. One
// that the merchant put in the trash is gone, until the caller clears the hint; then it is taken
// out of the trash again, since it goes on holding its SKU there.
//
// # What it keeps
//
//   - A category that a WooCommerce shop lacks is made once, however many products need it at a
//     time and whichever process is killed. A category of the same name elsewhere is left alone,
//     and a shop that refuses one sells the product without it.
//   - A category that the merchant renamed stays the one of its branch, and one that was deleted is
//     made again at the next look.
//   - A brand that a WooCommerce shop lacks is made once; a shop that has none, or refuses one, sells
//     the product without.
//   - A listing whose stamp somebody deleted is told, and taken back by a retry.
//   - A weight, a size or an EAN that the merchant typed into a WooCommerce shop stays, each by
//     itself, and so does an attribute. An EAN that another product has costs no product.
//   - A product that a WooCommerce shop left half-made when its PHP died is finished, not made
//     twice. Nothing without a price can be bought meanwhile.
package woocommerce
