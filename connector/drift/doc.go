// Package drift finds what somebody changed in the shop by hand: listings deleted, taken out of
// sale, or put back.
//
// A Lister is asked for all that the shop holds as ours, at most once a day after a resync and by
// each full run, and the answer is compared with the store. Only a complete listing proves
// anything. A listing that is missing proves no more than that the publication is worth a call of
// Publish, whose ErrGone decides.
//
// # What it keeps
//
//   - A listing that the merchant deletes or takes out of sale by hand is noticed within a day,
//     where the adapter can list, and by each full run. It is blocked and not success, and no
//     change upstream puts it back. Once the merchant puts it back it is live, with the supplier's
//     latest content. A shop's list that is incomplete, shifted or lacks very many proves nothing.
//     (TestDeletedByHandIsNoticed, TestHiddenByHand, TestHiddenByHandBeforeTheResync,
//     TestAListingThatProvesNothing, TestDriftFoundDuringALook)
package drift
