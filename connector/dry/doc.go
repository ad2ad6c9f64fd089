// Package dry has the other sides of a planned run: a shop that accepts everything, a marketplace
// that accepts every report, and a recorder of what the looks do. With them, on a store in
// memory over the real one, a plan is a single run.
//
// # What a plan cannot know
//
//   - How the shop answers to a write: it may refuse a product, a variant or a picture, or fail.
//     One answer is known: a listing that a complete list of the shop lacks is gone.
//   - How the marketplace answers to a report. No report moves updatedAt, so there is no echo to
//     list.
//   - Whether the shop can be used at the end of a run in which nothing was written: a plan does
//     not check it then.
//   - The times at which retries, late pictures and reports of an hour from now come due.
package dry
