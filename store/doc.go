// Package store keeps what the connector must not forget, in one bbolt file: what each publication became in the shop, what is due, what is
// owed to the marketplace, and how far the sweeps have come.
//
//	v1
//	├── meta         schema, account, pause
//	├── publication  id                -> Record: mapping, adapter state, hashes and figures last written, outcome, holds
//	├── mark         id                -> Mark: why and when it is due, with a generation
//	├── due          class, time, id   -> ∅: the marks in the order of work, a durable set
//	├── outbox       id                -> Report: the latest status the marketplace has not acknowledged
//	├── hint         kind, value, id   -> ∅: product and listing ids, for webhooks that name only those
//	├── sku          sku               -> publication and variant that use it
//	├── cursor       name              -> opaque cursor, and when
//	├── seen         id                -> ∅: met by the enumeration under way
//	└── removed      time, id          -> ∅: withdrawals of the last day, for the brake
//
// Every method is one transaction, none spans a network call, and no type of bbolt's leaves the package. A mark is written twice and is one
// mark: it carries a generation, and settling work removes it only when nothing arrived meanwhile. Record, due time and owed report are settled
// together, so that a crash at any moment leaves either all of them or none.
//
// Writers share a group commit: whoever waits while a commit is under way goes into the next one, without a timer, so that a lone writer is as
// fast as bbolt and sixty-four are not sixty-four times slower.
//
// The freelist is synced with each commit. That costs a little with every write and makes a damaged file an error at open instead of a panic
// later.
package store
