// Package publication holds every rule about one publication: how the marketplace's listing becomes
// the shop's product, what counts as a change, what a brake holds, in which state the publication
// is, and which report is owed. It is pure: it reads no clock, store, network or log, starts
// nothing, and gets all data as arguments. Other packages carry its decisions out, or print them;
// none of them assigns a field of a record that the rules read.
//
// A look begins with [Decider.Decide], from the record, its mark and what was read. The [Decision]
// names the next step. The worker carries the step out, and Compared or Concluded decide what
// follows, until a decision settles the look: [Decision.Settlement] is the next record, the next
// mark and the report that is owed. A dry run does the same with a shop that accepts everything.
//
// Each event outside of a look is a function that changes a settlement, and reports whether there
// is something to write:
//
//	Listed.Apply    a sweep met the entry on the list
//	Absent          an enumeration did not meet it, and the marketplace says that it is gone
//	Verdict.Apply   the brake judged the removals that were found together
//	Retry, Approve  a person asks for a look, or lets a held change through
//	Decline         a person keeps what is in place of a held change
//	Acknowledge     the marketplace accepted a report; RefuseReport: it did not; Vanished: it does
//	                not know the publication any more
//	Drift.Apply     the shop's listings show what somebody did there by hand
//	Outage.Apply    the shop has failed for too long
//	Revision.Apply  the merchant's rules have changed
//	Adopt           the store was lost, and the shop holds the listing
//	Suspect         the store is a backup that was put back
//
// # What it keeps
//
//   - An entry without a title in the wanted languages waits for its translation until FailAfter.
//     It is neither rejected nor reported before. What is on sale stays.
//   - What stays on sale while the supplier's new version is refused or has no title follows the
//     supplier's price and stock, in a shop that accepts figures alone.
//   - A publication that is listed again is on sale again, even where the shop's answer to its
//     withdrawal was lost.
//   - An optional field whose value cannot be read costs only itself, and explain shows it. The
//     shop keeps what it has of the field until a reading shows it again.
//     So it does of pictures whose addresses the marketplace nulls, and of brand and details whose
//     field the schema loses: these go with `pubsync retry --reset`.
//   - An entry that stays on the list and loses its listing or its variants is withdrawn like one
//     that is gone, and reported failed, whatever PUBSYNC_ON_REMOVED says. When they are back, it
//     is reported success again. One that was never on sale waits.
//   - A publication whose entry is gone and that has been withdrawn for 90 days is forgotten.
//     Kept are that it was ours, and the SKUs of a listing that the shop may hold. When it is
//     listed again, it is published on that listing.
//   - A product of the merchant's own that was taken over is never deleted: it is only taken out of
//     sale, and explain says so.
//   - A price that moves too far, and a first price far from the msrp, is not shown until a person
//     approves that very price. While the end of an attempt is not known, its price counts beside
//     the last settled one.
//   - What a person declines stays as it is, does not count as held and is not asked again, until
//     another value is to be made, or the person asks for it. A decline and an approval are for the
//     values that were shown.
//   - Changed rules of prices and stock apply to all publications at the next start, to the figures
//     as last read and for no points. Where that is not enough, the content is read like a refresh;
//     where the marketplace failed then, the next run reads it, whatever its time is.
//     So is all content where other settings of the shop's products have changed. Prices that would
//     move without a changed setting are held together. A plan beside a worker uses the caller's
//     rules, and status shows what has yet to follow.
//   - Nothing is sold below cost × (1 + margin) × (1 + VAT), with the supplier's costs of sending
//     where a rule counts them, whatever rules come together. A price for which the supplier's terms
//     are not known is not shown before the first sale, and stays as it is after it.
//   - A rule that keeps entries out takes nothing off sale, and explain tells what it would keep out.
//     A product of which nothing can be bought is taken off sale where the merchant's rule says so,
//     is no removal, keeps its report, and comes back when something can be bought.
//   - A new product that is to be a draft is complete and not on sale, and is reported once the
//     merchant has put it on sale.
//   - A rule that cannot be meant as it is written is told with what was likely meant.
//   - A change of rules that would move the prices of more than a fifth of the products by more than
//     the brake lets pass is held as one, with what it does in all. One word decides on it, wherever
//     the process is killed meanwhile.
//   - History says of each change what moved from what to what, why, and who approved it, also where
//     a later look carries it out. A publication has its last 50 events and one of each month before,
//     in bounded room.
//   - Prices, stock and policy are read again after RefreshAfter at the latest, also where they were
//     read by a clock that was ahead and has been set back, and the whole content every thirtieth
//     time.
//   - Texts from elsewhere are bounded in length: a longer entry or answer is refused with a
//     reason. Webhooks for unknown publications leave nothing behind.
package publication
