// Package quota bounds the looks that webhooks cause, and the points that those of unsigned
// webhooks cost.
//
// # What it keeps
//
//   - All looks that unsigned webhooks cause, or bring forward, cost a tenth of the restore rate
//     at most, and one look. A look that the publication is due for besides comes when it would
//     have come. (TestHintsKeepTheShare, TestHintsThatBringMarksForward,
//     TestAHintWhoseLookFailsIsPaidFor, TestWishBesideWhatWaits)
package quota
