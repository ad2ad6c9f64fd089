// Package conform holds an endpoint in any language to the laws of the http shop protocol, as a
// client that sees only the protocol.
//
// Each law is a sentence that holds for every endpoint. [Run] exercises them one after the other
// with publications of its own, whose ids begin with "pubsync-conform-" where the law leaves a
// choice, and deletes what it made. A law that needs an optional part of the protocol, such as the
// list of products, is skipped with its reason where the endpoint lacks that part.
//
// The laws test only what a client can see: not whether a product survives a crash of the shop, nor
// what a customer is shown. The optional list of products shows more than the answers, so an
// endpoint that offers it is held to more laws.
package conform
