// Package httpshop publishes to a shop in any language that offers one idempotent endpoint.
// openapi.yaml describes its requests to the letter.
//
// The endpoint does behind one request what the other adapters do in many. The publication's id is in
// the address, percent-encoded as one segment, so a PUT that is sent twice is one listing. The endpoint
// finds its listing again, keeps the merchant's edits, uploads a picture once, and never shows a
// half-built product. A body is always whole, and "changed" names the field groups to write: others stay
// as they are.
//
// Health offers the rest: "figures" has a change of prices and stock come as a PATCH, "observed" says
// that the list tells variants and pictures as they stand in the shop, and "drafts" that products may be
// asked to stay off sale.
//
// What stands in front of an endpoint may answer in its place: a web page is a bot check, a login
// or a page of maintenance, and never a listing or a shop that is well. A 400 without JSON rejects
// the product only where health is well. Text from the endpoint that ends up in a message is bounded,
// stripped of control characters and searched for the token first.
package httpshop
