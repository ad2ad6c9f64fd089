// Package marketplace speaks to the marketplace whose import list a shop follows.
//
// This package holds what is read and what is reported: publications, the list, product variants,
// the directory, webhooks, reports. The packages below it, each on the ones before, are internal:
// wire (the values of answers), document (what is asked), fault (what the server says against it),
// cost (what it costs), form (how this server chose what the specification leaves open), client
// (one request after another).
//
// A [Reader] asks, a [Client] also tells. The two are types, not modes: code that is given a Reader
// cannot reach a mutation, which is how a plan or a dry run stays one.
//
// # One call, one attempt
//
// The durable due set of the connector is what tries again, so a call here is one attempt: it ends
// in a result, or in an [Error] whose [Kind] says what may be done about it. There are three
// exceptions. They cost no points, since the server refuses these requests before it executes them.
// A page that is too large for the server is asked for anew, smaller, each time at most once. After
// a refusal for want of points that gives no figure, a query is repeated for up to twenty seconds,
// each time once its points may have been restored; [Client.LookAndReport] looks again before it
// reports again. A report is tried once without userErrors where the server objects to those.
//
// # What a server may look like
//
// The specification leaves types open, and [Forms] holds how this server chose. The first request
// is an introspection query, and what it says stands until the process ends. Where a server refuses
// introspection, the specification's own forms are assumed, but for what PUBSYNC_MARKETPLACE_FORMS
// says. Two things alone are found out from an objection: a list that is refused for its sort is
// enumerated from then on, and see above for userErrors. Any other objection is the error of its
// request, which names the field and says what to set. An error inside the server, a throttle or a
// lost answer is no objection. Scalars may be numbers, booleans or strings. They are kept as the
// text that was sent, so no price is rounded.
//
// # Points
//
// Every request is paid from one bucket, kept by package pace. The cost that the server named for a
// document wins over every estimate. Documents are of one shape when they differ in the first of
// their connections alone, or in how often a root field is repeated. Their cost is linear in these
// sizes: two answers tell what one more costs, and a third that contradicts them replaces both. The
// cost of an unknown shape is estimated by the worst of the cost models that no answer has ruled
// out, and its first request reserves more than that. Queries and mutations are learned apart.
//
// Page sizes are planned so that a reservation stays below half of the bucket and below what the
// server accepts for one query. Within that, a first page of content is as large as nineteen in
// twenty of the last two hundred listings. Until twenty listings were read, it has 20 variants and
// 10 images at least, and then 4.
//
// Implausible figures are not believed: see package pace. A cost beyond ten times the worst model
// needs a second answer that says the same. All that was learned about costs is forgotten after an
// hour.
//
// The server charges only what it finds, so a reservation is large and the charge is small.
// [Reader.Admit] therefore waits for the points of a content read before the caller chooses what to
// read: it chooses what is most urgent by then. [Client.LookAndReport] reserves a look and the
// report after it together, so that no waiting lies between the two.
//
// # Nothing is silently short
//
// Nested connections are read to their end. When the publication changes between two pages the
// reading starts over. An answer with one error in it does not count as whole. A publication is
// gone only when the server says null for it, or an error at its place that says it does not exist.
//
// # What it keeps
//
//   - One objection of the marketplace to a request changes no form of later requests, but for the
//     sort of the list. An objection to a publication is its own: explain shows it, and the report
//     stays owed. A product is never written in another language because the schema lost the one it
//     was written in: it waits.
//   - One absurd answer about the budget stops nothing: a figure that is implausible beside those
//     seen before needs a second answer that says the same, a request that only points hold back
//     is sent within a minute of the last answer, and what answers taught is forgotten in time. A
//     long wait stands in status.
//   - A refusal for want of points that gives no figure costs the time in which the points of the
//     request are restored, and up to half of that again. More than two in a row double it.
//   - The memory for an answer of the marketplace or a shop is bounded by the question, however
//     small the answer is on the wire: bytes, elements and depth are checked before anything is
//     built. The worker stays below 256 MiB.
package marketplace
