// Package wire sends requests to one server, a shop or the marketplace, as JSON or as GraphQL.
//
// Every answer is bounded in bytes, elements and depth before anything is built from it, and large
// answers are read one at a time. A redirect is an answer, and is not followed: it would turn a POST
// into a GET that looks like a success. The credential goes to the server's own origin alone. The
// text of an error is one short line without secrets.
//
// PublicTransport is for addresses that a stranger chose.
//
// One call is one request. Who pays for it, who judges the answer and who tries again is the
// caller's affair: an [Answer] says what came, and what its status means, an
// [Error] that no whole answer did.
package wire
