// Package marketplace speaks to the marketplace whose import list a shop follows.
//
// A [Reader] asks, a [Client] also tells. The two are types, not modes: code that is given a Reader
// cannot reach a mutation, which is how a plan or a dry run stays one. A call is one attempt: it ends
// in a result, or in an [Error] whose [Kind] says who mends it.
//
// The [Dialect] is what the first request learns from the schema. Where introspection is refused,
// the specification's words count, and PUBSYNC_MARKETPLACE_FORMS. Two things alone are learned from
// an objection: that the list is not sorted, and that reports have no userErrors.
//
// Every request is paid from one bucket of package pace. It reserves what its document counts, times
// what the server asked for the last ones of its operation, and gets back what was not charged.
// [Reader.Admit] waits for points before the caller chooses what to read.
//
// Nothing is silently short: nested connections are read to their end. A publication is gone only
// when the server says null for it, or an error at its place that says it does not exist.
package marketplace
