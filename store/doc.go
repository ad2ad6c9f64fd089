// Package store keeps what the connector must not forget, in a bbolt file: what each publication became in the shop, what is due, what is
// owed to the marketplace, and how far the sweeps have come.
//
//	v1
//	├── meta         name                -> a fact about the whole: schema, account, pause
//	├── publication  id                  -> Record: mapping, adapter state, hashes and figures last written, outcome, holds
//	├── mark         id                  -> Mark: why and when it is due, with a generation
//	├── due          class, time, id     -> ∅: the marks in the order of work, a durable set
//	├── outbox       id                  -> Report: the latest status the marketplace has not acknowledged
//	├── hint         kind, hash, id      -> ∅: product and listing ids, for webhooks that name only those
//	├── sku          sku in lower case   -> who holds it, as a hash of publication and variant
//	├── cursor       name                -> Cursor: opaque, and when
//	├── seen         id                  -> ∅: met by the enumeration under way
//	└── removed      time, id            -> ∅: withdrawals of the last days, for the brake
//
// Every method is one transaction, none spans a network call, and no type of bbolt's leaves the package. The functions that callers pass in run
// within the transaction: they decide, they do not call the store, and where a method writes they may run twice. A panic in one ends the
// transaction without a trace and goes on in its caller.
//
// # Marks
//
// A publication that is marked twice is marked once: marks are merged. A mark carries a generation, and settling work removes it only when nothing
// arrived meanwhile. Record, due time and owed report are settled together, so that a crash at any moment leaves either all of them or none.
//
// # Commits
//
// Writers share a group commit: whoever waits while a commit is under way goes into the next one, without a timer. A lone writer waits for one
// commit, as with bbolt alone, and each of sixty-four for two at most. One that fails is taken out and fails alone.
//
// # Journal
//
// A webhook is acknowledged once its mark is durable, and thousands may come in a second. Accept writes marks to a journal beside the file, in place and in
// order, which costs a tenth of a transaction; the tree takes them over behind that, in a burst many at once, and notes in the same transaction how far it
// has come. What a killed process leaves in the journal is taken over at the next start. After a clean end there is no journal.
//
// # SKUs
//
// A SKU belongs to one variant of one publication, from before it is sent to the shop until a settled write no longer has it. The next to want
// it gets it with a suffix of its own, which it keeps.
//
// # Damage
//
// bbolt trusts its file: a damaged page makes it panic, fault, or never return. So the file is checked as a whole before it is used, page by page
// and value by value (each has a checksum), which takes about as long as reading it; and it is born whole, under another name first. A page
// that goes bad later is ErrCorrupt from the method that meets it and from every method after, until the process opens the store anew. The free
// list is synced with each commit: it costs a little with every write and lets the check account for every page. What is not found is a write
// that the disk acknowledged and lost as a whole, with all pages around it in their old and consistent state.
//
// # Room
//
// Values are lists of numbered fields, with text that is a number, a price or a time held as one, and instants as distances from one another:
// with marks, hints and SKUs a publication of three variants takes 1.4 KB, pages half empty included.
package store
