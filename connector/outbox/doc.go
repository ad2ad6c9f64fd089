// Package outbox makes the reports that are owed to the marketplace. The store keeps them until
// they are acknowledged.
//
// A report goes this way:
//
//  1. [publication.Owe] says what is owed, in the transaction that settles the look.
//  2. The Reporter finds it in the store's outbox (backlog.go), and attempts it (attempt.go).
//  3. The marketplace's client looks whether the publication is still the one that the report is
//     about, and sends it (marketplace.LookAndReport).
//  4. A result without an error is the acknowledgement: acknowledge.go takes it into the store,
//     with [publication.Acknowledge].
//
// # What it keeps
//
//   - Every status that is owed is reported, at least once, until it is acknowledged, also when
//     the marketplace refuses it; a later status replaces an earlier one. A refusal counts, and
//     explain shows it, until the report is accepted.
//   - No report is made that was never true. The transaction that records the listing on sale also
//     owes success. failed is owed only once a listing is out that an attempt without an answer may
//     have put on sale.
//   - A token that may read and not report pauses nothing: reports stay owed and count as refused,
//     and doctor and status name the missing right. Once a report is accepted, all others are made.
//   - Reports that the marketplace refuses repeatedly cost a tenth of its points at most, and delay
//     no other report.
package outbox
