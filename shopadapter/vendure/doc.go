// Package vendure keeps listings in a Vendure shop, version 3.7 or later, through its GraphQL Admin
// API. The note that proves whose a product is lives in custom fields, which only the shop's owner
// can declare: see [ConfigLines]. They are not unique on purpose, since Vendure keeps deleted rows.
//
// A product is found by the field pubsyncId alone. Option groups and options are found by codes made
// from the publication and the value, variants by their own pubsyncId, pictures by a name made from
// their address. So a call that follows a lost answer finds what the first one left.
//
// Every variant has one option of each group of its product. While the set of groups changes, or
// every variant is replaced, the product is out of sale. A request stays below the 100 KB that
// Vendure takes. Vendure keeps a deleted product for the orders that speak of it.
//
// The slug is made when a language is first written, and stays. The category is a value of the
// private facet "pubsync-category", which a collection may filter by; the brand one of "brand", by
// which storefronts filter. Assets that are no longer used stay in the library, which is the
// merchant's.
//
// Prices are integers of the shop's precision. A quantity goes to the default stock location;
// Vendure itself subtracts what is allocated to orders.
package vendure

// ConfigLines is what the shop's owner adds to vendure-config.ts: the custom fields in which the
// adapter keeps its note. They are what the error says when the fields are missing.
const ConfigLines = `customFields: {
  Product: [
    { name: 'pubsyncId', type: 'string', nullable: true, public: false },
    { name: 'pubsyncStamp', type: 'text', nullable: true, public: false },
  ],
  ProductVariant: [
    { name: 'pubsyncId', type: 'string', nullable: true, public: false },
  ],
},`
