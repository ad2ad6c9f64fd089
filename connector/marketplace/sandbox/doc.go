// Package sandbox is a marketplace in memory: the part of the wholesale marketplace's API that a
// retailer's connector talks to. It serves the demo, this project's tests, and the authors of shop
// adapters.
//
// It has the shape of net/http/httptest. [New] makes a [Marketplace], [Start] makes one with a port
// on the loopback interface. [Marketplace.Transport] is a RoundTripper that reaches it without
// sockets, in the goroutine of the caller. So a test within testing/synctest runs two days of
// webhook retries in a blink (make the marketplace inside the bubble). What is faked is the wire
// and nothing nearer: a client under test sends real requests and gets real answers.
//
// # What is strict
//
// A sandbox that is kinder than the real server hides mistakes until it is too late. Documents are
// parsed and validated against the schema that [Marketplace.SDL] shows. Variables are coerced as
// the GraphQL specification has it, where "20" is no Int. A list without first, a nested one too,
// is an error. So is a missing token, another method than POST and another content type than JSON.
// The cost of a query is worked out before it runs and must fit the single-query limit and what the
// bucket holds. Unused points are given back. Every answer to a client with a good token has
// requestedCost, actualCost, limit, remaining and restoreRate.
//
// # How cost is counted
//
// An object costs a point, a scalar [Options].ScalarCost. Below a connection, edges and nodes count
// as many times as its first asks for. The connection itself, and its pageInfo unless
// PageInfoMultiplied says otherwise, count once. So publications(first: 50) { nodes { id } }
// requests 51 points, and 50 more for the scalars where they have a price. The actual cost counts
// the entries that came, and leaves out objects that were null. So a look at a publication that is
// gone is free. A list without an argument first counts as one entry, whatever it holds. All
// introspection in a document costs one point together. [Options].MutationCost makes each mutation
// cost more than its fields, and [Options].FieldCosts gives fields prices of their own.
//
// # What is open
//
// The specification leaves types open, and a connector has to work with each of them. Identifiers
// may be String. Statuses may be an enum in either case, or know one value more. There may be no
// sorting by UPDATED_AT_ASC, no introspection, or a 429 of a proxy instead of an error named
// Throttled. Each is a switch in [Options]; the zero value is the specification's own schema.
//
// # Content, and what tells of it
//
// [Marketplace.Add], [Marketplace.Update] and their kind change the import list as suppliers and
// retailers would. A change moves updatedAt. Each stamp is later than all before it, so that a
// client that pages by UPDATED_AT_ASC from a cursor misses nothing. [KeepUpdatedAt] makes a change
// that does not show, and [Options].UpdatedAtPrecision makes stamps that repeat. A report moves
// updatedAt too, as it does on the real server. [Marketplace.OnContentRead] and
// [Marketplace.OnReport] are called while no lock is held. There a test can make a supplier's
// change, between the reading of the content and the report of its success.
//
// New publications are announced to the webhooks created through the API, signed; changes of
// content go to the channel's default webhook, unsigned. A receiver has five seconds, and redirects
// are not followed. A failed delivery is tried again nineteen times over two days. The registration
// is deleted when nineteen attempts in a row have failed. First attempts and retries of all its
// deliveries count together, so that a burst of events during an outage can cost it too.
//
// # Orders
//
// An [Order] is one such change while a connector works. [Marketplace.Carry] carries it out, and so
// does the control, POST /sandbox/orders. The control is for `pubsync sandbox do` and any HTTP
// client. GET /sandbox/publications lists what an order can name. [Marketplace.Live] gives an order
// every few seconds by itself. The control asks for no token: it works while the token is revoked.
//
// # Installing an app
//
// The marketplace has one public app, with the client id and the secret of [Options]. GET
// /oauth/authorize is its consent page, where a person chooses the account, takes scopes away,
// approves or declines. POST /oauth/access_token exchanges a code for a token, once.
// [Marketplace.InstallURL] is what the back office sends a person to, and [Marketplace.Answer]
// answers the consent page without a browser. [Marketplace.RemoveApp] has every installed token
// refused for good, as the order uninstall does. Such a token reads what its scopes name; the one
// of [Options] reads everything. A fault on [KindExchange] befalls the exchange.
//
// # Faults
//
// A [Fault] makes requests slow, or cuts the connection before or after the request has taken
// effect. It may also answer with HTML, half a JSON document, 401, an internal error, or an empty
// import list. It comes by chance with a seed, to the next few requests, or to those of a [Kind].
// Ledgers ([Marketplace.Requests], [Marketplace.Reports], [Marketplace.Deliveries]) tell afterwards
// what the marketplace saw. A test should trust them, not the client's own account.
package sandbox
