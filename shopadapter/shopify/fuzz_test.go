package shopify_test

import (
	"net/http"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shopadaptertest"
)

// Each call ends, with any answer of the shop to all its requests: in a listing, or in an error
// without the token and without characters that move a cursor.
func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `[]`, `<html>`, `{"data":null}`, `{"errors":"some words"}`,
		`{"errors":[null,{"message":5,"extensions":{"code":[]}}]}`,
		`{"errors":[{"message":"shpat_0123\u001b[2J","extensions":{"code":"THROTTLED","cost":1e400}}]}`,
		`{"data":{"productByIdentifier":{"id":7,"variants":{"nodes":[null,{}],` +
			`"pageInfo":{"hasNextPage":true,"endCursor":"a"}}}}}`,
		`{"data":{"productSet":{"product":null,"userErrors":[{"field":["input",5],"message":null}]}},` +
			`"extensions":{"cost":{"throttleStatus":{"maximumAvailable":-1}}}}`,
		`{"data":{"shop":{"currencyCode":""},"locations":{"nodes":[{"id":"a"}],"pageInfo":{"hasNextPage":true}},` +
			`"node":{"status":"RUNNING"}}}`,
		`{"data":{"location":{"id":"a"},"locations":{"nodes":[{"id":"a"}],"pageInfo":{"hasNextPage":true,"endCursor":"a"}}}}`,
		`{"data":{"location":{"id":"a"},"locations":{"nodes":[{"id":"a"}]},` +
			`"publications":{"nodes":[{"id":"b","name":"Online Store"}]},` +
			`"metafieldDefinition":{"type":{"name":"id"}},"product":{"id":"p","publication":{"value":"p"},` +
			`"variants":{"nodes":[{"id":"v"}],"pageInfo":{"hasNextPage":true,"endCursor":"a"}}}}}`,
	} {
		f.Add(uint16(200), "", []byte(seed))
	}
	f.Add(uint16(429), "1e309", []byte("slow down "+token))
	f.Add(uint16(503), "-1", []byte(token))
	f.Fuzz(func(t *testing.T, status uint16, after string, body []byte) {
		shopadaptertest.Monotone{
			Adapter: "shopify", Secret: token, Settings: map[string]string{
				"STORE": "lamps.myshopify.com", "TOKEN": token, "PUBLICATION": "Online Store",
			},
			Ref: shopadapter.Ref{Publication: "p", Listing: "gid://shopify/Product/1", State: body},
			Answer: func() *http.Response {
				return respond(200+int(status)%400, string(body), http.Header{"Retry-After": {after}})
			},
		}.Check(t)
	})
}
