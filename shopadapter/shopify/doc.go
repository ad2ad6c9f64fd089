// Package shopify keeps listings in a Shopify store, through the Admin GraphQL API of version
// 2026-07.
//
// # What the shop's owner does
//
// The owner installs a custom app in the store. Its scopes are read_products, write_products,
// read_inventory, write_inventory, read_locations, read_publications and write_publications. A
// store that sells in several languages needs read_locales, read_translations and
// write_translations as well. Its Admin API access token goes into TOKEN. Nothing has to be set up
// in the store: the metafield definition by which products are found is made by the first Publish.
//
// # Whose a product is
//
// A product carries the publication's key in the metafield pubsync.publication. Its definition has
// Shopify's type id, which makes the value unique in the store, so a product can be created by it:
// productSet with that custom id makes the product, or finds the one that an earlier call with a
// lost answer has made. The key is what counts; neither a SKU nor a handle is ever looked at. A
// product that the merchant duplicates in the back office comes without the key, for it is unique,
// and is the merchant's.
//
// Where no product has the key, the one on sale that the hint names may have lost it: somebody
// cleared the metafield. It is the publication's where the State or its stamp says so. Then it is
// Blocked and left as it is, until Ref.Revive has the adapter put the key back. Without a stamp a
// text that is not as the supplier has it counts as the merchant's.
//
// A second metafield, pubsync.stamp, holds the publication's id and a hash of what was last written
// to each text group. It is written in the same mutation as the text. The namespace is a plain one
// and not the app's own: a store whose app is replaced keeps its stamps.
//
// # How a write goes
//
// The order is that of package skeleton; productSet takes the whole product in its step Draft. One
// request reads the product by its key. A new product takes two more:
//
//   - productSet makes it as a draft, with options, variants, prices, stock, pictures and both metafields;
//   - one document publishes it to the sales channel, makes it active, and writes the stamp with the
//     ids that the pictures got.
//
// Between the two it waits until Shopify has fetched the pictures, ten seconds at most, and reads
// what translations need. So no half-made product is on sale. After a lost answer the next call
// finds the product by the key and writes the rest.
//
// The merchant may make a product that is on sale a draft, archive it, or take it off the sales
// channel. It stays so: the error is ErrHidden. In every other case Publish puts the product on
// sale. An unlisted product stays unlisted.
//
// A change of texts, prices and stock takes one request after the reading; new pictures take two
// more, for their ids and what became of them, translations two. productSet deletes what a list
// does not name, so options and variants are always sent whole. Tags and the product's metafields
// are sent to productSet at creation alone, since the merchant and other apps have their own there.
// Later productUpdate writes texts, vendor, tags and stamp: it adds metafields and deletes none.
//
// # Prices and stock alone
//
// A write of figures alone takes two requests, of fewer points: one reads stamp and variants by the key, one sends
// prices and stock by productSet, as Publish does. No other mutation takes both:
// productVariantsBulkUpdate sets quantities only of new variants, and inventorySetQuantities takes
// quantities alone. The stamp is not written, so ref.State stays as it was. Variants are known by
// their marks. The whole product is needed where the state is not that of the stamp, where the
// marked variants are not exactly those that are named, where there are no marks, and where the
// shop refuses a variant.
//
// # What stands in the shop
//
// Observe reads all products by the definition of their key. One request shows sixteen products of
// up to five variants and pictures, or fewer larger ones: as many as fit 700 points. What a product
// has beyond that takes a request of its own. A thousand products of three variants take 65
// requests and 14,000 points. Each waits until the bucket holds as much again, and for all other
// requests.
//
// A merchant may take a single variant off a sales channel. Observe tells it, and it stays off until
// Ref.Revive puts it back.
//
// A compare-at price says that a lower price is the merchant's own. A picture that was deleted from
// the shop's files is no edit of the merchant's, and the next write of the pictures sends it again.
//
// # The merchant's edits
//
// A text that differs from what was last written is the merchant's: it stays, and its group is
// named as kept. Shopify tidies some markup, so the stamp holds the hash of the text as the answer
// to the write shows it. While that answer is missing, a text of the same words in other markup is
// not taken for an edit.
//
// # Pictures
//
// Shopify fetches a picture by its address, in the background, and does not say later where it came
// from. The stamp has a hash of the address for each id. While new pictures are on the way, it also
// has the order in which they were sent. So no picture that Shopify has is sent again.
//
// Each picture that Shopify is to fetch is asked for from here first, and Shopify is not given one
// whose server does not answer. The product goes on sale without a picture that Shopify does not
// have, and the result of Publish names it. One that Shopify could not fetch, or is still fetching,
// comes later: each Publish with images in changed sends it again. One that Shopify refuses for its
// type, size or content is noted in the stamp with the reason. It is sent again when a person asks
// (Ref.Asked) or gives the pictures back. When the supplier drops the picture, the stamp forgets
// it.
//
// # Variants
//
// A variant carries the marketplace's id in the metafield pubsync.variant and keeps its Shopify id
// when it is renamed. Above nine hundred variants the marks would make the request cost more than
// Shopify takes; such variants are known by their choice alone. More than two hundred are written
// in the background. A product may have three options; more are folded into the third. A variant
// that the merchant added by hand stays, unless the supplier's options change in number. A variant
// that Shopify refuses is left out and reported, and the product is sent again without it.
//
// # Brand and details
//
// The brand is the vendor; the store's own name there, which Shopify gives to a product without
// one, counts as empty. A variant's EAN is its barcode, and its weight and country of origin go to
// its inventory item, in the request that writes the variants. They are read only where they may
// change. The stamp has a short digest of each, so that each is the merchant's on its own. It is
// written before the variants, and therefore also has the digest of what they held: a call that
// ended between the two is no edit. Above the nine hundred variants that can be marked there are no
// digests: what is empty is filled, the EAN follows, and what differs stays. An observation
// compares the brand alone: weight and marks would add three points for each variant, half as many
// again.
//
// Tags are added to those of the product, and taken away again when the supplier drops them. The
// merchant's own stay, and one of the supplier's that the merchant took away stays away until the
// details are given back. Lengths, materials, lead time and units per case have no field of
// Shopify's own, and are not written.
//
// Shopify lets several variants have one barcode: a second product with an EAN is published as any
// other.
//
// # What else stands where
//
// The category is the product type, by the names of its branch. The cost goes to the inventory
// item. The recommended price goes nowhere: shown as a compare-at price it would claim to be an
// earlier price of the shop's. What shipping costs customers is a matter of the store's delivery
// profiles.
//
// Prices are in the store's own currency, which Currency tells. What customers elsewhere pay in
// theirs is for Shopify Markets. Where the store says that its prices do not include taxes, the
// nearest price without tax is written. With two decimals a customer may pay a cent more or less
// than the price that the rules made, which Prices tells. A store that shows prices without tax on
// purpose, as in the United States, is written to as the rules say by PRICES=gross.
//
// Stock is the quantity available at one location. The product page in Shopify may show more, when
// the merchant stocks the variant elsewhere too. Another value of LOCATION does not move stock:
// until the products are stocked there, they are blocked with a message that says so.
//
// # Languages
//
// The product itself is in the store's own language if the supplier has it, else in the supplier's.
// The other languages of the store are registered as translations, and a merchant's edit is found
// in each of them. When the supplier drops a language, its last translation stays.
//
// # The version of the API
//
// Documents are written against version 2026-07. Shopify serves a version for a year; where it
// answers with another one, Check says to install a newer pubsync. Every request of the tests is
// also judged by graphql-js over Shopify's whole schema (package e2e).
//
// # Points
//
// Shopify charges each request a number of points from a bucket. Before the adapter sends a request
// it reserves the points that the request may cost, as earlier answers of its kind said. So a
// refusal is the exception. A refused request waits for its points and is sent again.
package shopify
