// Package httpshop publishes to a shop in any language that offers one idempotent endpoint: the way to
// write an adapter without writing Go. openapi.yaml describes each request to the letter:
//
//	PUT    {base}/products/{publication id}        make the listing equal to the body
//	PATCH  {base}/products/{publication id}        optional: prices and stock alone
//	DELETE {base}/products/{publication id}?mode=  unpublish: take it out of sale; delete: delete it
//	GET    {base}/health                           200 when all is well, with what the endpoint offers
//	GET    {base}/products?after=                  optional: what the shop holds, 404 where there is no list
//
// The endpoint does behind one request what the other adapters do in many. The key is in the
// address, so a PUT that is sent twice is one listing. The endpoint finds its listing again, keeps
// the merchant's edits, uploads a picture once, and never shows a half-built product. An edit that
// it names in the list ("edited") it leaves as it is, and names in "kept", until a PUT names it in
// "reset". Variants that the merchant switched off stay off until a PUT says "revive": true.
//
// What stands in front of an endpoint may answer in its place: a web page is a bot check, a login
// or a page of maintenance, and never a listing or a shop that is well. A 400 without JSON rejects
// the product only where health is well.
package httpshop
