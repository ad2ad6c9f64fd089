// Package connector reconciles a marketplace's import list with a shop.
//
// The import list is the desired state, the shop is the observed state. A webhook or a sweep only ever says *look at
// publication X*; looking means fetching X, comparing it with what was last written, and bringing the shop in line.
// An adapter is a durable map from publication to shop listing, so every step may be repeated. A look ends with one
// transaction that writes the record, the time of the next look and the report that is owed, so a crash is a normal
// way to stop.
//
// # What is guaranteed
//
// Behind each stands a story of connector/testdata that holds it, beside the model (connector/internal/model), the
// campaigns of cmd/pubsync that kill the program at every step, and the laws of shopadapter/laws.
//
//   - A publication has one listing, whatever answer is lost and whichever process is killed (import, lost-report);
//     also where the store was lost or put back from a backup (lost-store, backup-put-back).
//   - What the supplier changed last is what the shop shows once all has settled (last-change-counts, a-bad-day).
//   - A webhook is acknowledged once what it points at is durable (webhook). Every status that is owed is reported
//     until it is acknowledged, and none that is not true (refused-report, marketplace-in-trouble).
//   - The merchant's edits stay, and what the merchant deletes or hides stays away until it is asked for
//     (drift-of-prices, deleted-by-hand, hidden-by-hand). What the shop has sold is not sold again
//     (sold-in-the-shop).
//   - A price that moves too far, a first price far from the msrp, one that no setting moved, and a mass removal
//     wait for a person, who approves that very value (price-brake, first-price, rules-move-very-many, mass-removal,
//     approval-of-a-value).
//   - Nothing is sold at figures that the supplier does not have any more (rejected-update), nor below its floor
//     (floor). A changed rule reaches every publication at the next start, for no points (rules-of-prices).
//   - A removal is believed only from a complete enumeration and a question of its own (removal-not-answered).
//   - A plan writes nothing, and prints what the run then does (plan-after-trouble).
//   - One publication that always fails, hangs, panics or is megabytes large slows no other (troubled-product,
//     calls-that-hang, panic), and one objection of the marketplace is that publication's own (objection-to-one).
//   - What is most urgent goes first (import-of-very-many, backlog-figures, asked-amid-a-backlog).
//   - A side that is away pauses with its reason and goes on by itself (shop-away, refused-token-under-a-worker). A
//     single run ends with its patience and one call (call-that-hangs).
//   - Nothing in a webhook is trusted but identifiers, and unsigned ones cost a tenth of the points at most
//     (webhook-unsigned). No secret is shown or kept in the clear.
//
// # What is not
//
//   - A report is made at least once, not exactly once: its acknowledgement may be lost.
//   - A supplier's change in the one round trip between a report and the look before it may hide behind the report's
//     move of updatedAt, until the publication is read again, after RefreshAfter at the latest. So may one that does
//     not move updatedAt, where the list of product variants is not followed (change-behind-a-report).
//   - A price may be written within a minute after a shop has changed its currency.
//   - A plan does not know how the shop or the marketplace will answer.
//   - State is lost with a file system that loses what it confirmed, and with a copy of the store that `backup` did
//     not make.
//
// # Words
//
//	publication  an entry of the import list, and the record that the store keeps of it
//	listing      the supplier's offer behind it (marketplace.Listing); the product made of it (shopadapter.Listing)
//	mark         says that a publication is to be looked at: how urgently, and from when on
//	look         one reading of a publication, and all that follows until it is settled; a light look reads updatedAt and
//	             status alone
//	figures      price, cost, recommended price and stock of a variant
//	remainder    the content that is owed of a change of which the figures alone have been read
//	settle       to end a look in one transaction
//	slot         one of the calls of the adapter that may be under way at a time
//	sweep        one reading of the import list: of what changed, or, as an enumeration, of the whole
//	hint         an unsigned webhook
//	report       the status and the address that the marketplace is told of a publication
//	echo         the move of updatedAt that a report of ours causes
//	hold         a change that waits for a person; a brake is a rule that holds
//	gate         lets no call through while one of the two other sides fails; a pause is the time for which it is shut
//	drift        a price or a stock that somebody changed in the shop by hand
//	take over    to bring into the store a listing that the shop says we made
//	patience     for how long a single run waits for what time may mend
package connector
