// Package keyed is a store above a KV: what a change, a mark, a claim of a SKU or a page means is written here,
// once. An engine is a KV, and no more.
//
//	sequence     bucket              -> the number that was given last
//	meta         name                -> a fact about the whole: schema, account, pause, the tally of all records
//	publication  id                  -> store.Record
//	index        key, time, id       -> ∅: the records that have a key of store.Keys, and since when
//	mark         id                  -> store.Mark: why and when it is due, with a generation
//	hinted       id                  -> store.Mark: the look that unsigned webhooks ask for, beside the other
//	due          class, time, id     -> ∅: the marks in the order of work, a durable set
//	wish         class, hash, id     -> store.Mark: what any process has accepted, and its owner has not taken in
//	recent       id                  -> []store.Event: the last events of a publication
//	event        id, time, number    -> store.Event: those before
//	outbox       id                  -> store.Report: the latest status the marketplace has not acknowledged
//	hint         kind, hash, id      -> ∅: product and listing ids, for webhooks that name only those
//	sku          sku in lower case   -> the publication that holds it
//	cursor       name                -> store.Cursor
//	seen         id                  -> ∅: met by the enumeration under way
//	removed      time, id            -> ∅: withdrawals of the last days, for the brake
//	left         id                  -> store.Record: what is left of a forgotten publication
//
// A value is what package value makes of it.
package keyed
