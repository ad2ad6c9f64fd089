// Package drift finds what somebody changed in the shop by hand: listings deleted, taken out of
// sale, or put back; prices and quantities; variants deleted or switched off; texts edited; pictures
// that the shop has lost.
//
// The shop is asked for all that stands in it once a day and by each full run. Some tell no more
// than which listings there are. The answer is compared with the store, and package publication says what a
// difference means. Only a list of all proves that something is missing, and a listing that is
// missing proves no more than that the publication is worth a call of Publish, whose ErrGone
// decides. What was written since the comparison began, or has an attempt without an answer, is not
// judged.
//
// What is put right costs no points where the record tells all that it needs, and goes behind what
// changes upstream ask for.
//
// # What it keeps
//
//   - A listing that the merchant deletes or takes out of sale by hand is noticed within a day,
//     where the adapter can list, and by each full run. It is blocked and reported failed, and no
//     change upstream puts it back. Where more than a fifth of what is on sale and more than ten are
//     off sale at once, a second look an hour later is to find the same. Once the merchant puts
//     it back it is live, with the supplier's latest content. A shop's list that is incomplete,
//     shifted or lacks very many proves nothing.
//   - A price, and a quantity above what was written, that somebody changed in the shop is put right
//     or reported, as OnDrift says. What the shop has sold stays sold until the supplier's figure
//     falls by it. Where more than a fifth of the products and more than ten have other prices, none is
//     put back before a person says so.
//   - A figure that the shop changes each time that it is put right, a shop that rounds say, is left
//     after three tries and told. It is put right again once the shop shows ours, ours moves, the
//     rules change, or a person asks.
//   - A variant that was deleted is made again, one that was switched off stays off until a person
//     asks, and lost pictures come again once. A person who asks for a publication has its listing
//     read and compared.
//   - One product's page is fetched as a visitor each time that all is compared, and status tells
//     where a visitor sees something else.
package drift
