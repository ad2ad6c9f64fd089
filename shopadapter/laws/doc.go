// Package laws is the book of what holds for every shop that pubsync publishes to: one table, in
// which each [Law] has a sentence and a check that exercises it.
//
// An adapter is called again after every crash, time-out and lost answer, by a connector that does
// not know what the last call achieved. What makes that safe is a handful of laws: the same put
// twice is one listing; the last put wins; a delete of what is not there is no error; a product of
// the merchant's own is never touched.
//
// A law is written once, against a [Harness]: the shop, seen from the adapter's side by Open and
// from the owner's side by Observe. [Run] holds an adapter in Go to the book, from its tests;
// http/conform holds an endpoint in any language to it, by the adapter http. Faults are injected beneath
// the adapter, without its help: a request is lost, or its answer, in the first request of a call, then
// in the second, until the call ends before the fault is met.
//
// A check ends at the first thing that is not as it should be: it panics with a failure, which
// [Law.Check] returns. A law that needs what a harness does not have is skipped with a reason, and
// never passes.
package laws
