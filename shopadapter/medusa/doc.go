// Package medusa keeps listings in a Medusa 2 shop, version 2.17 or later, through its Admin API.
//
// # What the shop needs
//
// A secret API key, a sales channel, a stock location that serves the channel, and a shipping
// profile. A new Medusa has all but the location. The settings SALES_CHANNEL and STOCK_LOCATION
// name one by its id or its name; without them the store's defaults count. Check says what is
// missing.
//
// # Whose a product is
//
// A product carries the publication's key as its external_id, and the note as "pubsync" in its
// metadata. Both are needed: the external_id finds it, the note proves it. A SKU is never looked
// at. From the first complete write on the note holds the product's own id, so a copy that the
// merchant makes of a product is the merchant's. The handle ends in a digest of the key, and Medusa
// lets no two products share one. So a creation that is repeated while the first is still under way
// fails, and the next call finds the product.
//
// # How a write goes
//
// One request reads the product whole; the draft is made with texts, options, pictures, category and
// sales channel; options and variants follow, the latter known by "pubsync" in their own metadata;
// then the quantities at the stock location, the translations, and one write of the product with the
// status "published".
//
// A variant whose choice or SKU changes is replaced by another, because Medusa keeps the SKU a
// second time, in its inventory. Where the set of options changes all variants are replaced, with
// the product taken out of sale. An option that the merchant added blocks such changes.
//
// # What it writes
//
// The product's own title and description are those of the publication's language. Where the
// translation module is on, the store's other locales get theirs. Medusa shows pictures by address
// and does not load them: whether an address works is not known. The category is the one with the
// handle of the marketplace's path; it is made when there is none.
//
// A price is the variant's price in the store's currency (or in the setting CURRENCY) that has no
// rules and no quantity. The merchant's other prices stay. Medusa adds tax on top unless the
// currency is set to prices that include tax. Then a price is written without tax, with up to six
// decimals. Without a VAT percentage the shop is blocked, unless PRICES=gross has the tax paid on
// top. A quantity is the stocked quantity at the location. Medusa subtracts its own reservations.
// Cost and msrp have no place in Medusa.
//
// Weight, length, width, height, origin_country, material and ean of a variant are Medusa's own
// fields. Medusa keeps numbers without a unit: WEIGHT_UNIT and DIMENSION_UNIT say which one this
// shop counts in. Medusa's storefront shows the sizes of the product, so those in which all variants
// agree stand there as well. An EAN that another variant has is left out. The brand is "brand" in the
// product's metadata: type and collection are the merchant's own order of the shop, and the
// marketplace's tags are no tags of Medusa's, which a storefront offers as filters. diameter, volume,
// lead_time, tags and case_quantity stand in the variant's metadata. Each of these values is the
// merchant's or the adapter's on its own: the note in "pubsync_details" of a variant's metadata, and
// in the product's, has a digest of each that was written.
package medusa
