// Package marketplace speaks to the marketplace whose import list a shop follows.
//
// A [Reader] asks, a [Client] also tells. They are two types, so that a plan cannot reach a mutation.
// A call is one attempt: it ends in a result, or in an [Error] whose [Kind] says who mends it.
//
// The [Dialect] is what the first request learns from the schema, else the specification's words and
// PUBSYNC_MARKETPLACE_FORMS. Two things alone are learned from an objection: that the list is not
// sorted, and that reports have no userErrors.
//
// Every request is paid from one bucket: it reserves what its document counts, times what the server
// asked for the last ones of its operation. Nothing is silently short: nested connections are read to
// their end. A publication is gone only when the server says null for it, or an error at its place
// that says it does not exist.
package marketplace
