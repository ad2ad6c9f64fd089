// Package connector reconciles a marketplace's import list with a shop.
//
// The import list is the desired state, the shop is the observed state. A webhook or a sweep only
// ever says *look at publication X*; looking means fetching X, comparing it with what was last
// written, and bringing the shop in line. An adapter is a durable map from publication to shop
// listing, so every step may be repeated. A look ends with one transaction that writes the record,
// the time of the next look and the report that is owed. Nothing else about a look is stored, so a
// crash is a normal way to stop.
//
// A publication is in exactly one state, the first that fits of blocked, rejected, held, pending, partial,
// live and withdrawn: package store says what each means and what is tried again when.
//
// # What is guaranteed
//
// Stories in connector/testdata, the model (connector/internal/model), the campaigns of cmd/pubsync that kill the
// program at every step, and the laws of shopadapter/laws hold it.
//
// Never doubled:
//
//   - A publication has one listing, whatever answer is lost and whichever process is killed, given an adapter that
//     keeps the laws. A picture is uploaded once and a category made once.
//   - A store that was lost, rebuilt from the shop, or put back from a backup doubles nothing. What was forgotten
//     and is listed again is published on its old listing.
//
// Never lost:
//
//   - What the supplier changed last is what the shop shows once everything has settled. No entry is skipped, though
//     entries move while they are listed.
//   - A webhook is acknowledged only once what it points at is durable. A full disk refuses it.
//   - Every status that is owed is reported until it is acknowledged, also when the marketplace refuses it.
//   - The merchant's edits stay, and what the merchant deletes or hides stays away until it is asked for.
//   - What the shop has sold is not sold again.
//   - A damaged or exchanged store is refused with exit 5 where it is met, and is left as it is.
//
// Never wrong:
//
//   - A price that moves too far, and a first price far from the msrp, is not shown until a person approves that
//     very price.
//   - A changed rule of prices or stock reaches every publication at the next start, for no points. A change that no
//     setting asked for is held.
//   - A visitor is shown the price that the rules made, in the shop's own currency and by its own taxes, and each
//     choice leads to its own variant, also where the merchant renamed options.
//   - No report was never true: success is owed in the transaction that records the listing on sale, at an address
//     that the shop shows.
//   - Nothing is sold at figures that the supplier does not have any more: what is refused while an earlier version
//     is on sale is taken out of sale where price or stock moved.
//   - A removal is believed only from a complete enumeration and a question of its own, and a mass removal waits for
//     a person.
//   - A plan writes nothing, and prints what the run then does: it is that run, on a store in memory over the real
//     one.
//   - One objection of the marketplace changes no request but the one that it was about.
//
// Never stuck:
//
//   - One publication that always fails, hangs, panics or is megabytes large slows no other, and stands in explain.
//   - What is most urgent goes first: a new publication and what a person names wait for no sweep, no burst and no
//     backlog.
//   - A picture, a field or a variant that cannot be had costs itself, not the product.
//   - The points are spent without a rejection of our own making, and an import costs 1.10 times the least at most.
//     No absurd answer about them stops anything.
//   - A side that is away pauses with its reason and goes on by itself. New credentials in files need no restart.
//   - A single run ends with its patience and one call.
//   - It may be left alone: after a week of schedules, outages, a revoked token and a lost registration goroutines,
//     memory and store are as they were.
//
// Never let in:
//
//   - Nothing in a webhook is trusted but identifiers. Unsigned ones cost a tenth of the points at most, and senders
//     that hold on, flood or send nothing keep no webhook out.
//   - A token comes only by an installation that the marketplace signed, in the browser that began it, once, and the
//     admin listener answers only who may ask.
//   - No secret is shown or kept in the clear, texts from elsewhere are data, and pictures come from public
//     addresses alone.
//
// # What is not
//
//   - A report is made at least once, not exactly once: where its acknowledgement is lost, it may
//     be made again.
//   - A supplier's change may come in the one round trip between the report and the light look, or
//     the list that takes its place. It may hide behind the report's move of updatedAt, and reaches
//     the shop when the publication is read again, after RefreshAfter at the latest.
//   - A price or stock that changes without moving updatedAt is seen by an unsigned webhook or
//     after RefreshAfter, not before, where the list of product variants is not followed.
//   - A price may be written within the five seconds after a shop has changed its currency, beside
//     the time that it takes to answer, where no sweep has begun since.
//   - A product may be reported failed while the shop sells it, where all answers about it were
//     lost for longer than FailAfter.
//   - A plan does not know how the shop will answer, or the marketplace to a report: a product that
//     the shop refuses is planned all the same.
//   - State is lost with a file system that loses what it confirmed as written, and with a copy of
//     the store that `backup` did not make.
//   - A call to the shop that hangs keeps its slot until its deadline: with one slot, all other
//     calls wait for it.
//
// # Words
//
// Each of these words has one meaning in connector/ and store/. Package shopadapter uses
// one otherwise: there an id that may be stale is a hint too.
//
//	publication  an entry of the import list, known by its id, and the record that the store keeps of
//	             it
//	listing      the supplier's offer behind a publication (marketplace.Listing), and the product
//	             made of it in the shop (shopadapter.Listing)
//	mark         the entry of the due set that says that a publication is to be looked at: how
//	             urgently, and from when on
//	look         one reading of a publication from the marketplace, and all that follows until it is
//	             settled. A light look reads updatedAt and status alone
//	figures      the price, the cost, the recommended price and the stock of a variant. A look at
//	             figures reads these and updatedAt alone
//	remainder    the content that is owed of a change of which the figures alone have been read. It
//	             is read in a look of its own; "rest" is the REST client
//	settle       to end a look in one transaction (Store.Change): the record, its next mark and the
//	             report that is owed
//	result       what a look did with a publication: created, updated, withdrawn or nothing
//	slot         one of the calls of the adapter that PUBSYNC_SHOP_CONCURRENCY allows at a time
//	queue        the marks that a goroutine of the worker claims from, by class and time
//	sweep        one reading of the import list: an incremental sweep reads what changed, an
//	             enumeration reads the whole list
//	hint         an unsigned webhook: it may bring a look forward, within the share of points that
//	             belongs to all hints
//	report       the status and the address that the marketplace is told of a publication. It is owed
//	             until it is acknowledged; a refused one stays owed
//	echo         the move of updatedAt that a report of ours causes
//	hold         a change that waits for a person's approval. A brake is a rule that holds: prices,
//	             removals, products that another tool made
//	gate         it lets no call through while one of the two other sides fails. A pause is the time
//	             for which it is shut
//	drift        a price or a stock that somebody changed in the shop by hand
//	over         a store that keeps writes in memory, over one that it only reads: a plan is a run on
//	             it
//	take over    to bring into the store a listing that the shop says we made
//	patience     for how long a single run waits for what time may mend
package connector
