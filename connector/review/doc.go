// Package review finds the listings that the adapter would write otherwise under its present
// settings, and makes them due. See [shopadapter.Reviewer].
//
// # What it keeps
//
//   - Advice works: where an adapter is a Reviewer, what it lacked or what its settings say now
//     moves listings whose product is unchanged, by a retry, by a full run, and by the changed
//     setting alone. (TestAdviceMovesWhatIsOnSale, TestReviewLeavesWhatIsTheMerchants,
//     TestReviewFails)
package review
