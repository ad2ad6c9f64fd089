// Package store keeps what the connector must not forget: what each publication became in the shop,
// what is due, what is owed to the marketplace, and how far the sweeps have come. [Store] says once
// what that means, above a [KV], which keeps values by key: store/bolt is one in a file,
// store/postgres one for many accounts in a database, [Memory] one for plans and tests.
//
// Record, mark, owed report and history of a publication are an [Entry], which one transaction
// changes as a whole: a crash at any moment leaves all of a change or none of it.
//
// A publication that is marked twice is marked once: marks are merged. A mark carries a generation,
// and the end of a look removes only the mark that it began with. The look that an unsigned webhook
// asks for is a mark of its own, so that a stranger never moves another's mark.
//
// A loop asks for its records by a [Property], which an index holds. Only work that concerns each
// record reads all of them: a comparison with the shop, a change of the rules, a copy.
//
// A SKU belongs to one publication, from before it is sent to the shop until a settled write no
// longer has it.
//
// The buckets of the KV. A value is CBOR (RFC 8949) with the numbers of the struct tags as keys,
// and a checksum behind it. A number is never used again for something else.
//
//	meta         name            -> a fact about the whole: schema, account, pause, tally, sequence
//	publication  id              -> Record; without a state: what is left of a forgotten publication
//	index        property, id    -> ∅: the records that have a property; a product's or a listing's id is one,
//	                                for webhooks that name only those
//	sku          sku, lower case -> the publication that holds it
//	mark         id              -> Mark: why and when it is due, with a generation
//	hinted       id              -> Mark: the look that unsigned webhooks ask for, beside the other
//	due          class, time, id -> ∅: the marks in the order of work
//	outbox       id              -> Report: the latest status that the marketplace has not acknowledged
//	event        id              -> []Event: its history
//	cursor       name            -> Cursor
//	seen         id              -> ∅: met by the enumeration under way
//	removed      time, id        -> ∅: removals of the last days, for the brake
package store
