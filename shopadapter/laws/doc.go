// Package laws is the book of what holds for every shop that pubsync publishes to: one table, in
// which each [Law] has a sentence, the situations that exercise it and what is expected of them.
//
// A law is written once, against a [Harness]: the driver of what is held to the laws. There are
// two. The package shopadaptertest drives an adapter in Go from its tests; http/conform drives an
// endpoint in any language, by the adapter http, and sees no more of its shop than the endpoint
// shows. A driver says by the fields of its Harness what it can do. Where a law needs more it is
// skipped with the driver's written reason, and never passes.
//
// A law that is broken is a [Breach]: the step, what was expected and got, and what was kept for
// the merchant.
package laws
