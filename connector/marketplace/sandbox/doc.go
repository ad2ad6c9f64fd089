// Package sandbox is a marketplace in memory: the part of the wholesale marketplace's API that a
// retailer's connector talks to, for the demo, this project's tests and the authors of adapters.
// [Start] serves a port, [Marketplace.Transport] answers in the goroutine of the caller.
//
// Documents are validated against the schema, and a query's cost is charged before it runs; fragments
// and directives are not served. An object costs a point and a scalar [Options.ScalarCost]. The entries
// of a connection count as many times as its first asks for, pageInfo once. What did not come is given
// back. A list without first counts as its dearest entry, and an introspection costs a point.
//
// [Marketplace.Add], [Marketplace.Update] and their kind, or an [Order], play the suppliers and the
// retailer. Each change moves updatedAt, and so does a report. Webhooks made through the API learn of
// new publications, signed; the channel's default webhook learns of changed content, unsigned.
package sandbox
