// Package connector reconciles a marketplace's import list with a shop.
//
// The import list is the desired state, the shop is the observed state. A webhook or a sweep only
// ever says *look at publication X*; looking means fetching X, comparing it with what was last
// written, and bringing the shop in line. A look ends with one transaction that writes the record,
// the time of the next look and the report that is owed, so a crash is a normal way to stop.
//
// # States
//
// A publication is in exactly one state, the first of these that fits (publication.StateOf).
//
//	blocked    the merchant must do something; tried again when asked, or when the shop's check
//	           passes
//	rejected   the shop, or the price rules, refuse it as the supplier gives it; tried again when
//	           that changes, or when asked
//	held       a brake holds a change, the rest is made; tried again when approved, or when it is
//	           taken back upstream
//	pending    not settled: new, or a transient error; tried again at once, then with backoff
//	partial    on sale, some variants refused or pictures missing; tried again when the supplier
//	           changes it, late pictures with backoff
//	live       on sale, as last read, or off sale while nothing of it can be bought and the merchant's
//	           rule hides that; looked at when it changes
//	withdrawn  gone from the import list, or its listing or variants are, and out of sale; comes back
//	           when it is listed again
//
// # What is guaranteed
//
// Each is told by stories in testdata, which package story plays on the whole, and held by the model
// (internal/model), the campaigns of cmd/pubsync and the laws of shopadapter/laws.
//
//   - A publication has one listing, whatever answer is lost and whichever process is killed, given an
//     adapter that keeps the laws; also after a store was lost or put back from a backup.
//   - What the supplier changed last is what the shop shows once everything has settled. No entry is
//     skipped, though entries move while they are listed.
//   - A webhook is acknowledged only once what it points at is durable.
//   - Every status that is owed is reported until it is acknowledged, and none that was never true:
//     success is owed in the transaction that records the listing on sale.
//   - The merchant's edits stay, and what the merchant deletes or hides stays away until it is asked
//     for. What the shop has sold is not sold again.
//   - A price that moves too far is not shown until a person approves that very price. A removal is
//     believed only from a complete enumeration and a question of its own, and a mass removal waits.
//   - A changed rule of prices or stock reaches every publication at the next start, for no points. A
//     change that no setting asked for is held.
//   - A plan writes nothing, and prints what the run then does: it is that run, on a store in memory.
//   - One publication that always fails, hangs, panics or is megabytes large slows no other, and
//     stands in explain. What is most urgent goes first.
//   - A side that is away pauses with its reason and goes on by itself. New credentials in files need
//     no restart. A single run ends with its patience and one call.
//   - Nothing in a webhook is trusted but identifiers. Unsigned ones cost a tenth of the points at most.
//   - A damaged store, or another account's, is refused with exit 5 where it is met, and left as it is.
//
// # What is not
//
//   - A report is made at least once: where its acknowledgement is lost, it may be made again.
//   - A supplier's change may come in the one round trip between the report and the light look. It may
//     hide behind the report's move of updatedAt until RefreshAfter.
//   - A price or stock that changes without moving updatedAt is seen by an unsigned webhook or after
//     RefreshAfter, not before, where the list of product variants is not followed.
//   - A price may be written within a minute after a shop has changed its currency, where no sweep has
//     begun since.
//   - A product may be reported failed while the shop sells it, where all answers about it were lost
//     for longer than FailAfter.
//   - State is lost with a file system that loses what it confirmed as written, and with a copy of the
//     store that `backup` did not make.
//   - A call to the shop that hangs keeps its slot until its deadline.
//
// # Words
//
//	publication  an entry of the import list, known by its id, and the record that the store keeps of
//	             it
//	listing      the supplier's offer behind a publication, and the product made of it in the shop
//	mark         the entry of the due set that says how urgently a publication is to be looked at, and
//	             from when on
//	look         one reading of a publication, and all that follows until it is settled. A light look
//	             reads updatedAt and status alone
//	figures      the price, the cost, the recommended price and the stock of a variant
//	remainder    the content that is owed of a change of which the figures alone have been read
//	settle       to end a look in one transaction
//	slot         one of the calls of the adapter that PUBSYNC_SHOP_CONCURRENCY allows at a time
//	sweep        one reading of the import list: an incremental sweep reads what changed, an
//	             enumeration reads the whole list
//	hint         an unsigned webhook: it may bring a look forward, within the share of points of all
//	report       the status and the address that the marketplace is told. It is owed until it is
//	             acknowledged
//	echo         the move of updatedAt that a report of ours causes
//	hold         a change that waits for a person's approval. A brake is a rule that holds
//	breaker      it lets no call through while one of the two sides fails. A pause is that time
//	drift        a price or a stock that somebody changed in the shop by hand
//	take over    to bring into the store a listing that the shop says we made
//	patience     for how long a single run waits for what time may mend
//
// # Where to change what
//
//	a setting            cmd/config/settings.go; cmd/internal/setup/assemble.go passes it on
//	an adapter           shopadapter/README.md; cmd/pubsync/main.go imports those of the binary
//	a marketplace field  connector/marketplace asks for it and reads it,
//	                     connector/publication/product.go maps it, and hash.go notices its changes
//	a price rule, a brake, a state   connector/publication
//	what is looked at next, called, reported, listed, compared, or counted   a file of connector/engine
//	a stored field       store/record.go, with a number of its own
//	a command            cmd; what it asks a worker is a method of connector/desk
package connector
