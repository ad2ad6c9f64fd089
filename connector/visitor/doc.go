// Package visitor looks at the pages of products as a visitor does: without cookies and without any
// right in the shop. The address that is reported to the marketplace may show something else than the
// product: a page that asks for the shop's password, the front page, or an error.
//
// Each address is fetched once, after the write that makes or moves it: one at a time, bounded in
// time, and never where a guard finds that it leads to a private network in which the shop is not.
// What was seen stands in the record until the address moves, a person asks for the publication, or
// the page is seen again: one that showed something else is visited every hour. Where nothing can be
// told, since the shop did not answer or refuses programs, nothing is recorded, and it is tried again.
//
//   - The front page, a page that asks for a password, and a page that is not there are told from the
//     product's page; a shop that refuses programs is not taken for any of them.
//   - An address of a private network is not fetched, and no cookie is kept.
//   - A page is visited once after its report, and again after it moves or a retry. What a visitor
//     sees in its place is in explain and status, and is unlearned when it is seen again.
//   - A visit prolongs no run: what a run leaves is visited by the next process.
//   - With strict, the report waits until a visitor sees the product.
package visitor
