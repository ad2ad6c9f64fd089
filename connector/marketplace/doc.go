// Package marketplace speaks to the marketplace whose import list a shop follows.
//
// A [Reader] asks, a [Client] also tells. The two are types, not modes: code that is given a Reader
// cannot reach a mutation, which is how a plan or a dry run stays one.
//
// The durable due set of the connector is what tries again, so a call here is one attempt: it ends
// in a result, or in an [Error] whose [Kind] says who mends it. Requests that the server refuses
// before it executes them cost nothing, and three of them are made anew: one that is too large,
// smaller; a query that is refused for want of points without a figure, for up to twenty seconds; a
// report without userErrors, where the server objects to those.
//
// The first request is an introspection query, whose [Dialect] stands until the process ends. Where
// it is refused, the specification's words count, and PUBSYNC_MARKETPLACE_FORMS. Two things alone
// are learned from an objection: that the list is not sorted, and that reports have no userErrors.
// Any other objection is the error of its request, and says what to set.
//
// Every request is paid from one bucket, kept by package pace. It reserves what its document counts,
// times what the server asked for the last ones of its operation. The server charges only what it
// finds, so a reservation is large and the charge is small. [Reader.Admit] therefore waits before
// the caller chooses what to read, and [Client.LookAndReport] reserves a look and the report after
// it together.
//
// Nothing is silently short: nested connections are read to their end, and where the publication
// changes between two pages the reading starts over. A publication is gone only when the server says
// null for it, or an error at its place that says it does not exist.
package marketplace
