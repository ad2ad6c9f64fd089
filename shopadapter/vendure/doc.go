// Package vendure keeps listings in a Vendure shop, version 3.7 or later, through its GraphQL Admin API. The note
// that proves ownership is in custom fields, which only the shop's owner can declare: see [ConfigLines]. They are
// not unique, since Vendure keeps deleted rows.
//
// A product is found by its pubsyncId alone, a variant by its own. Codes of option groups and options come from the
// publication and the value, names of pictures from their address. So the call after a lost answer finds what the
// first one left.
//
// Every variant has one option of each group of its product. While the set of groups changes, or every variant is
// replaced, the product is out of sale. A deleted product stays in Vendure for its orders.
//
// The slug is made when a language is first written, and stays. The category is a value of the private facet
// "pubsync-category", for collections; the brand is one of "brand", for storefronts. Unused assets stay in the
// library, which is the merchant's.
//
// Prices are integers of the shop's precision. A quantity goes to the default stock location; Vendure itself
// subtracts what is allocated to orders.
package vendure

// ConfigLines declares the adapter's custom fields in vendure-config.ts. The error for missing fields shows it.
const ConfigLines = `customFields: {
  Product: [
    { name: 'pubsyncId', type: 'string', nullable: true, public: false },
    { name: 'pubsyncStamp', type: 'text', nullable: true, public: false },
  ],
  ProductVariant: [
    { name: 'pubsyncId', type: 'string', nullable: true, public: false },
  ],
},`
