// Package shopify keeps listings in a Shopify store, through the Admin GraphQL API of version 2026-07.
//
// # What the shop's owner does
//
// A custom app is installed in the store with the scopes read_products, write_products, read_inventory, write_inventory, read_locations,
// read_publications and write_publications, and where the store sells in several languages read_locales, read_translations and write_translations
// as well. Its Admin API access token goes into TOKEN. Nothing has to be set up in the store: the metafield definition by which products are found is
// made by the first Publish.
//
// # Whose a product is
//
// A product carries the publication's key in the metafield pubsync.publication. Its definition has Shopify's type id, which makes the value unique
// in the store, so a product can be created by it: productSet with that custom id makes the product, or finds the one that an earlier call with a
// lost answer has made. The key is what counts; neither a SKU nor a handle is ever looked at. A product that the merchant duplicates in the back
// office comes without the key, for it is unique, and is the merchant's.
//
// A second metafield, pubsync.stamp, holds the publication's id and a hash of what was last written to each text group. It is written in the
// same mutation as the text. The namespace is a plain one and not the app's own: a store whose app is replaced keeps its stamps.
//
// # How a write goes
//
// One request reads the product by its key. A new product takes two more:
//
//   - productSet makes it as a draft, with options, variants, prices, stock, pictures and both metafields;
//   - one document publishes it to the sales channel, makes it active, and writes the stamp with the ids that the pictures got.
//
// Between the two it waits until Shopify has processed the pictures, ten seconds at most, and reads what translations need. So nothing that is half
// made is on sale, and whatever is lost on the way, the next call finds by the key what there is and writes the rest.
//
// Publish always puts the product on sale, also when the merchant made it a draft or took it off the sales channel by hand; to keep it away, take
// it off the import list. An unlisted product stays unlisted.
//
// A change of texts, prices and stock takes one request after the reading; new pictures take one more for their ids, translations two. productSet
// deletes what a list does not name, so options and variants are always sent whole. Two lists it gets at creation alone: tags, and the product's
// metafields, of which the merchant and other apps have their own; productUpdate adds to those without deleting any, and so it is what writes
// texts and stamp.
//
// # The merchant's edits
//
// A text that is not what was last written is the merchant's: it stays, and its group is named as kept. Shopify tidies some markup, and the stamp
// has to know the form in which a text is read back. That form is known from the answer to the write. When the answer is lost the words decide: a
// text of the same words in other markup is not taken for an edit, until a call has read it back.
//
// Pictures have no address in Shopify from which they came. The stamp has a hash of the address for each id, and while new pictures are on the way,
// the order in which they were sent. So no picture is sent twice. One that Shopify cannot process is sent once more, and then left out until the
// supplier replaces it; one whose address Shopify refuses is left out at once.
//
// # Variants
//
// A variant carries the marketplace's id in the metafield pubsync.variant and keeps its Shopify id when it is renamed. Above a thousand variants
// the marks would make the request cost more than Shopify takes; such variants are known by their choice alone. More than two hundred are written
// in the background. A product may have three options; more are folded into the third. A variant that the merchant added by hand stays, unless the
// supplier's options change in number. A variant that Shopify refuses is left out and reported, and the product is sent again without it.
//
// The category is the product type, by its name. The barcode is the EAN, the cost goes to the inventory item. The recommended price goes nowhere:
// shown as a compare-at price it would claim to be an earlier price of the shop's. Shipping is a matter of the store's delivery profiles and is not
// written.
//
// Stock is the quantity available at one location. The product page in Shopify may show more, when the merchant stocks the variant elsewhere too.
// Another value of LOCATION does not move stock: until the products are stocked there, they are blocked with a message that says so.
//
// # Languages
//
// The product itself is in the store's own language if the supplier has it, else in the supplier's. The other languages of the store are registered
// as translations, and an edit is told in each of them. A language that the supplier gives up keeps its last words.
//
// # Points
//
// Shopify charges each request a number of points from a bucket. The adapter reserves what a request may cost before it sends it, from what earlier
// answers of its kind said, so that a refusal is the exception. A refused request waits for its points and is sent again.
package shopify
