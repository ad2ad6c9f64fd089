// Package vendure keeps listings in a Vendure shop, version 3.7 or later, through its GraphQL Admin
// API.
//
// # What the shop's owner adds
//
// The stamp that proves whose a product is lives in custom fields. They are part of Vendure's own
// configuration, so only the owner can add them, once, to vendure-config.ts (followed by a database
// migration and a restart). Without them every call is blocked with these lines:
//
//	customFields: {
//	  Product: [
//	    { name: 'pubsyncId', type: 'string', nullable: true, public: false },
//	    { name: 'pubsyncStamp', type: 'text', nullable: true, public: false },
//	  ],
//	  ProductVariant: [
//	    { name: 'pubsyncId', type: 'string', nullable: true, public: false },
//	  ],
//	},
//
// The fields are not unique on purpose: Vendure keeps deleted rows, and a unique id of a deleted
// product could never be used again. The channel also needs a default tax zone, as every Vendure
// that sells has; without one no variant can be made. The account needs to read, create, update and
// delete in the catalogue (products, assets and facets). Both of Vendure's ways to carry a session
// work, bearer token and cookie.
//
// # Whose a product is
//
// A product is found by the custom field pubsyncId. The hint only chooses among several, and a SKU
// is never looked at. Where no product has the key, the one on sale that the hint names may have
// lost it: somebody cleared the field. It is the publication's where the State or its pubsyncStamp
// says so. Then it is Blocked and left as it is, until Ref.Revive has the adapter put the key back.
// Without a stamp a text that is not as the supplier has it counts as the merchant's.
//
// Vendure's back office can duplicate a product, custom fields included;
// such a copy is the merchant's. It is told from the original by the product's own id, which the
// stamp holds from the first complete write on. A creation that the shop carries out only after its
// caller has given up and made another leaves an unfinished draft behind; the next call for that
// publication deletes it, unless somebody has worked on it.
//
// # How a write goes
//
// The order is that of package skeleton. One request reads the product with its variants, options
// and stamp, and what the adapter has to know about the channel. Everything after that writes only
// what differs, so a call that is repeated after a lost answer finds what the first one left: the
// product by the publication's key; option groups and options by codes made from the key and the
// option's value; variants by their own pubsyncId; pictures by a name made from their address.
// Variants go in batches that stay under the 100 KB that Vendure takes in one request.
//
// Vendure asks that every variant has one option of each group of its product. While the set of
// groups changes, or while every variant is replaced, the product is taken out of sale. A group
// that the merchant added by hand blocks changes of the variants until it is removed.
//
// # Text
//
// The languages written are the channel's default language, always, and of the others those that
// the channel offers and the marketplace has. The name in the product's own language (or in the
// default language, where the marketplace lacks that) is the title group; every other name and all
// descriptions are the description group. An edit is told per language and per text, so that a
// description the merchant wrote in one language does not hold up another. The slug is made from
// the title when a language is first written and stays from then on. A variant is called after the
// product's name as it stands in the shop, followed by its option values.
//
// The category is a value of the private facet "pubsync-category", which a collection may filter
// by; facets of the merchant's own are left alone. Where somebody deleted the value of a category
// or a brand, that is no edit: Review names it, from a list of the values that is read every
// quarter of an hour at most, and the next write makes it again. Pictures are known by their
// address: a picture that changes behind the same address is not seen. One that cannot be used is
// left out and named. One that could not be fetched just now is left out as well. The next call for
// that product tries it again, even a call about something else; the product does not wait for it.
// Assets that are no longer used stay in the asset library, which is the merchant's.
//
// # Prices and stock
//
// A price is written in the channel's default currency as an integer of minor units, and means what
// prices mean in that channel. Where the channel says that its prices do not include tax, the
// nearest price without tax is written: with two decimals a visitor may be shown a cent more or
// less than the price rules made, which Prices tells. A quantity goes to stockOnHand of the default
// stock location, with trackInventory on. The variant has a threshold of its own, 0, so that
// neither the channel's nor the global setting changes what may be sold. Backorders lower that
// threshold to −1,000,000. Vendure itself subtracts what it has allocated to orders that are not
// yet shipped. Cost and msrp have no place in a stock Vendure and are not written. Prices
// and quantities can be written alone, while the product is on sale, complete, and has the variants that they are of.
//
// Publish always puts the product on sale, also when the merchant disabled it by hand; to keep it
// away, take it off the import list.
//
// # Brand and details
//
// The brand is a value of the facet "brand", the merchant's own where there is one: storefronts
// filter by facets. A value is known by its code or its name, and made where there is none.
//
// A stock Vendure has no field for EAN, weight, sizes, country of origin and the like. Each look at
// a product reads which custom fields the owner has declared; details go to those that have their
// names (DetailLines), as the number or the text that they are. A declared field that cannot hold a
// value stays empty, and where the shop refuses a variant for its details it is written without
// them. The note of what was written is the variant's own field pubsyncStamp, in the same request;
// without that field no detail is written, since the merchant's could not be told from them. Each
// value is the merchant's or the adapter's on its own. The EAN is one of them. A change
// of details asks for one request more than other changes: what the fields hold is read for it.
//
// # What stands in the shop
//
// Observe reads a hundred products with their variants in one request: fourteen for a thousand,
// since pages overlap. The price is that of the channel's default currency, with tax. The quantity
// is stockOnHand at the default stock location; what is allocated to orders is not taken off, as a
// write does not add it. Of brand and details the brand alone is compared: which custom fields hold
// the details is known only after a request for it. A picture that was deleted from the asset
// library is no edit of the merchant's, and the next write of the pictures uploads it again: the
// stamp has the ids of the assets that were written, and those that are gone are asked for.
//
// # Addresses
//
// Vendure has no storefront of its own, so the address of a product is made from the setting
// STOREFRONT_URL, with {slug} where the slug goes.
package vendure
