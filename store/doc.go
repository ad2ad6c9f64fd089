// Package store says what the connector must not forget: what each publication became in the shop,
// what is due, what is owed to the marketplace, and how far the sweeps have come. [Store] is the
// interface that an engine offers, [Reader] the part of it that writes nothing. The package
// store/bolt is an engine in one file, and store/storetest holds any engine to its laws. What can
// be said of records and marks without an engine is here, too.
//
// # Marks
//
// A publication that is marked twice is marked once: marks are merged. A mark carries a generation,
// and settling work removes it only when nothing arrived meanwhile. An unsigned webhook brings
// nothing forward at the expense of others: a mark that waits for another reason keeps its class
// and time, and has what the webhook wants beside it, due in a class of its own. Record, due time
// and owed report are settled together, so that a crash at any moment leaves either all of them or
// none.
//
// # SKUs
//
// A SKU belongs to one variant of one publication, from before it is sent to the shop until a
// settled write no longer has it. The next to want it gets it with a suffix of its own, which it
// keeps.
package store
