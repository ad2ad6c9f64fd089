// Package httpshop publishes to a shop in any language that offers one idempotent endpoint.
//
// It is the way to write an adapter without writing Go. The shop implements these requests, all
// below one base address and all carrying "Authorization: Bearer {token}" where a token is set;
// openapi.yaml describes each to the letter:
//
//	PUT    {base}/products/{publication id}        make the listing equal to the body
//	PATCH  {base}/products/{publication id}        optional: prices and stock alone
//	DELETE {base}/products/{publication id}?mode=  unpublish: take it out of sale; delete: delete it
//	GET    {base}/health                           200 when all is well, or with {"currency": "EUR", "version": "…"}
//	GET    {base}/products?after=           optional: what the shop holds, 404 where there is no list
//
// The publication id is percent-encoded as one path segment, so it may hold any character. The body
// of a PUT is a [shopadapter.Product] as JSON, always whole, with "changed": the field groups that
// differ from what was last written. Of the answer only "id" is required. With
// PUBSYNC_SHOP_PRICES=net each "price" is without the tax of PUBSYNC_PRICE_VAT_PERCENT, with at most
// four decimals, here, in a PATCH and in the list.
//
// Health offers the rest: "figures": true has a change of prices and stock come as a PATCH, of which
// only the groups in "changed" are written, since the shop may have sold meanwhile; 404 and 409 to
// it say that the PUT is needed. "observed": true says that the list tells variants and the number of
// pictures as they stand in the shop: the regular price, a quantity of null where none is counted, a
// variant that was switched off without "onSale". "drafts": true says that products may be asked to
// stay off sale. With "publication" the list has that product only: an endpoint that does not know
// the word is read as far as the product.
//
// # Whose work is whose
//
// The endpoint does behind one request what the other adapters do in many. The key is in the
// address, so a PUT that is sent twice is one listing. The endpoint finds its listing again, keeps
// the merchant's edits, uploads a picture once, and never shows a half-built product. An edit that
// it names in the list ("edited") it leaves as it is, and names in "kept", until a PUT names it in
// "reset". Variants that the merchant switched off stay off until a PUT says "revive": true.
//
// # What an answer means
//
// A 2xx with an id is a listing. 400, 409, 413 and 422 are a rejection by the shop, and the detail
// of an RFC 9457 problem is what the merchant reads. 401 and 403 are about the token, and a
// redirect, 404, 405 or a bare 410 about the address: the merchant must mend the settings, and
// until then no other product would fare better. Everything else is mended by time; 429, and 503
// with Retry-After, pause the whole shop. A 404 to DELETE is as good as a 204. A 410 with
// {"deleted": true} to PUT says that somebody deleted the listing by hand. Where it is wanted all the
// same the PUT comes again, with the header "Pubsync-Recreate: true".
//
// What stands in front of an endpoint may answer in its place: a web page is a bot check, a login
// or a page of maintenance, and never a listing or a shop that is well. A 400 without JSON rejects
// the product only where health is well. Text from the endpoint that ends up in a message is bounded,
// stripped of control characters and searched for the token first.
package httpshop
