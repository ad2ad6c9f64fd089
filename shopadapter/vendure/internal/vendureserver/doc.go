// Package vendureserver runs a real Vendure on loopback for tests, and plays the shop's owner in
// it.
//
// [Start] boots the server that the fixture of the end-to-end test installs: one node process with
// an in-memory database, which is ended with its whole process group. It gives an empty shop with a
// tax zone, EUR prices that include tax, and the languages en and nl.
//
// A [Backoffice] is the owner's side: it reads and edits products through the Admin API with a
// client of its own that has nothing in common with the adapter's. Its Harness is what the
// conformance suite asks of a shop. It sends the same documents to the real server and to the fake
// of the adapter's tests. So the fake cannot show something that a real shop would not answer.
//
// Only tests import this package.
package vendureserver
