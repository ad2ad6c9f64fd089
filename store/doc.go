// Package store says what the connector must not forget: what each publication became in the shop,
// what is due, what is owed to the marketplace, and how far the sweeps have come. [Store] is the
// interface that an engine offers, [Reader] the part of it that writes nothing. The package
// store/bolt is an engine in one file, store/postgres one for many accounts in a database. What a store
// means is written in store/keyed, once, above what an engine keeps by key. Functions of records and
// marks that need no engine are here, too.
//
// # Marks
//
// A publication that is marked twice is marked once: marks are merged. A mark carries a generation,
// and settling work removes it only when nothing arrived meanwhile. An unsigned webhook does not
// bring forward a mark that waits for another reason. That mark keeps its class and time, and the
// look that the webhook asks for is due beside it, in a class of its own. Record, due time and owed
// report are settled together, so that a crash at any moment leaves either all of them or none.
//
// # Queries
//
// A loop asks for the records that it works on by a [Key], as what is blocked, what leaves the
// shop, or what was withdrawn before a day. The keys are a closed set. [Keys] derives those of a
// record, and an engine keeps them in an index, as a column of a table with an order. A rule of the
// connector then decides on each record that was found.
//
// Only work that concerns each record reads all of them: a comparison with the shop's listings, a
// change of the rules, a review under other settings of the shop, [ChangeAll], the list of all
// publications, a backup and a check of the store.
//
// # SKUs
//
// A SKU belongs to one publication, from before it is sent to the shop until a settled write no longer
// has it. Which SKU a variant is given in its place is a rule of the connector: Begin is handed a
// function that chooses by who holds which, within the transaction that claims.
package store
