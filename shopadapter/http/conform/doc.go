// Package conform holds an endpoint in any language to the book of laws, as a client that sees only
// the http shop protocol.
//
// The laws stand in the package laws. Here is their driver for an endpoint: it opens pubsync's own
// adapter, http, at the endpoint, and sends past it what no adapter sends. [Run] exercises the laws
// one after the other with publications of its own, whose ids hold "pubsync-conform-", and deletes
// what it made.
//
// The driver sees the shop by its list of products, by the variants in it, where health says
// "observed", and by the page at the address that the endpoint answers. An endpoint without a list
// is held to what its answers tell, and is told so.
package conform
