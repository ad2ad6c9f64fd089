// Package kit holds what adapters decide alike, as plain functions. The order of a write stands in
// each adapter, since shops differ there. Nothing here asks the shop or calls the adapter back,
// but for the functions that are given to Pages and to Load.
//
// A [Note] is what a product says of itself inside the shop, and [Merge] decides by it which text stays
// the merchant's. It must reach the shop in the same request as the texts that it speaks of. Then a lost
// answer never looks like an edit of the merchant's. Where a shop takes them in two requests the
// note goes first, with [Written.Then].
package kit
