// Package kit holds what adapters decide alike, as plain functions. The order of a write stands in
// each adapter, since shops differ there. Nothing here asks the shop or calls the adapter back,
// but for the functions that are given to Pages and to Load.
//
//   - Note: what a product says of itself inside the shop: whose listing it is, and what was last
//     written of each text. [Merge] decides by it which text stays the merchant's.
//   - Fit: which variants the shop can sell. Match: which of the shop's variants each of them is.
//   - Follow: the words that the merchant has given to options and values.
//   - Pick: which of several products with one note is the listing.
//   - Fetcher: pictures at addresses that a supplier chose, from public hosts alone.
//   - Load: pictures, tried first; the refused are left out, the late ones come later.
//   - Pages: lists that move while they are read.
//   - Rows: the product's texts in the languages of the shop.
//   - Unusable: what is wrong with an answer to a GraphQL request.
//
// The note must reach the shop in the same request as the texts that it speaks of. Then a lost
// answer never looks like an edit of the merchant's. Where a shop takes them in two requests the
// note goes first, with [Written.Then].
package kit
