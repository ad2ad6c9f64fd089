// Package conform holds an endpoint in any language to the book of laws, as a client that sees only
// the http shop protocol.
//
// The laws stand in the package laws. Here is their driver for an endpoint: it opens pubsync's own
// adapter, http, at the endpoint, and sends past it what no adapter sends. [Run] exercises the laws
// one after the other with publications of its own, whose ids hold "pubsync-conform-", and deletes
// what it made.
//
// The driver sees the shop by what the endpoint shows: its answers; the list of products, where it
// has one; the variants in that list, where its health says "observed"; and the page at the address
// that it answers, where that shows the title, and maybe brand and details. A law that needs more
// is skipped with its reason.
package conform
