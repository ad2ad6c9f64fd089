// Package medusa keeps listings in a Medusa 2 shop, version 2.17 or later, through its Admin API. Its
// README says what the shop needs, and what goes where.
//
// A product carries the publication's key as its external_id, which finds it, and the note in its
// metadata, which proves it. A SKU is never looked at. The handle ends in a digest of the key, and Medusa
// lets no two products share one: a creation that is repeated while the first is under way fails, and the
// next call finds the product. The draft is made with texts, options and pictures; then come options,
// variants, quantities and translations, and last one write that puts the product on sale.
//
// A variant whose choice or SKU changes is replaced, because Medusa keeps the SKU a second time, in its
// inventory. Where the set of options changes all variants are, with the product out of sale.
package medusa
