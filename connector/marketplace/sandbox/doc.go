// Package sandbox is a marketplace in memory: the part of the wholesale marketplace's API that a
// retailer's connector talks to, for the demo, this project's tests and the authors of adapters.
// [Start] serves a port, [Marketplace.Transport] answers in the goroutine of the caller, also within
// testing/synctest.
//
// It is a fake and no server. Documents are validated against the schema, and a query's cost is
// charged before it runs; fragments and directives are not served. An object costs a point and a
// scalar [Options].ScalarCost. The entries of a connection count as many times as its first asks
// for, pageInfo once. What did not come is given back. A list without first counts as its dearest
// entry, and all introspection of a document as one point.
//
// Suppliers and retailers are played by [Marketplace.Add], [Marketplace.Update] and their kind, or
// in words by an [Order]. Each change moves updatedAt, and so does a report. New publications are
// announced to the webhooks created through the API, signed; changes of content also to the
// channel's default webhook, unsigned. A [Fault] befalls requests. [Marketplace.Requests] and
// [Marketplace.Reports] tell what the marketplace saw: a test should trust them, not the client's
// own account.
package sandbox
