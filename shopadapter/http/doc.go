// Package httpshop publishes to a shop in any language that offers one idempotent endpoint.
//
// It is the way to write an adapter without writing Go. The shop implements these requests, all
// below one base address and all carrying "Authorization: Bearer {token}" where a token is set:
//
//	PUT    {base}/products/{publication id}        make the listing equal to the body
//	PATCH  {base}/products/{publication id}        optional: prices and stock alone
//	DELETE {base}/products/{publication id}?mode=  unpublish: take it out of sale; delete: delete it
//	GET    {base}/health                           200 when all is well, or with {"currency": "EUR", "version": "…"}
//	GET    {base}/products?after=           optional: what the shop holds, 404 where there is no list
//
// The publication id is percent-encoded as one path segment, so it may hold any character. The body
// of a PUT is a [shopadapter.Product] as JSON, always whole, with one more member: "changed", the
// list of the field groups that differ from what was last written. Members that the supplier does
// not give are left out: "brand", the "branch" of the category, and each detail of a variant, such
// as "weight" and "origin". Decimals there are in the units that the merchant has set for the
// marketplace, kilograms and centimeters as a rule. The answer is
//
//	{"id": "…", "url": "https://…", "variants": {"<variant id>": "<shop's id>"}, "refused": {"<variant id>": "reason"},
//	 "missing": [{"url": "<a picture's address>", "reason": "reason", "later": true}]}
//
// of which only id is required. "missing" names the pictures that the listing does not show; for
// one that is "later" a PUT with "images" in "changed" comes again.
//
// # Prices and stock alone
//
// Where health says "figures": true, a change of prices and stock comes as a PATCH while the
// marketplace's points are scarce: {"variants": [{"id", "price", "cost", "msrp", "quantity",
// "backorders"}], "updatedAt", "changed": ["price", "stock"]}, with all variants of the product.
// Only the groups in "changed" are written: of another one the shop knows better, since it may have
// sold meanwhile. The answer is that of PUT. 404 and 409 say that the shop does not hold the product
// with these variants; the PUT follows. Without the word each change is read, and put, whole.
//
// With PUBSYNC_SHOP_PRICES=net each "price" is without the tax of PUBSYNC_PRICE_VAT_PERCENT, with at
// most four decimals, here, in a PUT and in the list of what stands in the shop.
//
// # What stands in the shop
//
// Where health says "observed": true, each product in the list has {"variants": [{"id", "sku",
// "price", "quantity", "backorders", "onSale"}], "images": n} as they stand in the shop. So a price
// or a quantity that somebody changed there by mistake is seen and put right. The id is the shop's
// or the marketplace's; the price is the regular one, also while the merchant sells for less. A
// variant that was deleted is not in the list; one that was switched off is there and not "onSale".
// A quantity that is null is not counted.
//
// A page may be 4 MiB long. With "publication" it has that product only: an endpoint that does not
// know the word is read as far as the product.
//
// A product in the list may have "edited": the names of the texts that the merchant has edited
// since they were written. An endpoint that tells them leaves them as they are when a PUT names them
// in "changed", unless it names them in "reset" too, and names them in the answer's "kept". A PUT
// with "revive": true puts variants on sale again that the merchant switched off; without it they
// stay off. Both members are sent where a person asked for that.
//
// # Whose work is whose
//
// The endpoint does behind one request what the other adapters do in many. The key is in the
// address, so a PUT that is sent twice is one listing. The endpoint finds its listing again, keeps
// the merchant's edits, uploads a picture once, and never shows a half-built product. The adapter
// tells it all that this needs, and reads each answer in the same way.
//
// # What an answer means
//
// A 2xx with an id is a listing. 400, 409, 413 and 422 are a rejection by the shop, and the detail
// of an RFC 9457 problem is what the merchant reads. 401 and 403 are about the token, and a
// redirect, 404, 405 or a bare 410 about the address: the merchant must mend the settings, and
// until then no other product would fare better. Everything else is mended by time; 429, and 503
// with Retry-After, pause the whole shop. A 404 to DELETE is as good as a 204.
//
// What stands in front of an endpoint may answer in its place: a web page is a bot check, a login
// or a page of maintenance, and never a listing or a shop that is well. A 400 without JSON rejects
// the product only where health is well.
//
// A 410 with {"deleted": true} to PUT says that somebody deleted the listing by hand. Where it is
// wanted all the same the PUT comes again, with the header "Pubsync-Recreate: true". The list is
// {"products": [{"publication", "id", "url", "onSale"}], "after": "…"}, in pages: after is where
// the next one begins, and "" at the end. With a list a lost store is rebuilt, and what another
// tool made is told from pubsync's own.
//
// The version that health names is shown by doctor. The currency must be the marketplace's: no
// amount is converted, and nothing starts where they differ.
//
// Text from the endpoint that ends up in a message is bounded, stripped of control characters and
// searched for the token first.
package httpshop
