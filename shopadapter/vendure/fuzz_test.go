package vendure_test

import (
	"net/http"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shopadaptertest"
)

// Each call ends, with any answer of the shop to all its requests: in a listing, or in an error
// without the password and without characters that move a cursor.
func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `[]`, `<html>`, `{"data":null}`, `{"errors":"some words"}`,
		`{"errors":[null,{"message":5,"extensions":{"code":[]}}]}`,
		`{"errors":[{"message":"s3cret-pa55word\u001b[2J","extensions":{"code":"INTERNAL_SERVER_ERROR"}}]}`,
		`{"data":{"login":{"id":"1"},"products":{"items":[null,{"id":7,"variants":[{}]}],"totalItems":1e9},` +
			`"activeChannel":{"code":[]}}}`,
		`{"data":{"login":{"errorCode":"INVALID_CREDENTIALS_ERROR","message":5},` +
			`"product":{"id":"1","customFields":{"pubsync":"{"}}}}`,
		`{"data":{"login":{"id":"1"},"globalSettings":{"serverConfig":{"entityCustomFields":null}},` +
			`"createProduct":{"id":null}}}`,
	} {
		f.Add(uint16(200), "", []byte(seed))
	}
	f.Add(uint16(429), "1e309", []byte("slow down "+password))
	f.Add(uint16(503), "-1", []byte(password))
	f.Fuzz(func(t *testing.T, status uint16, after string, body []byte) {
		shopadaptertest.Monotone{
			Adapter: "vendure", Secret: password, Settings: settings(),
			Ref: shopadapter.Ref{Publication: "p", Listing: "1", State: body},
			Answer: func() *http.Response {
				return respond(
					200+int(status)%400,
					"application/json",
					string(body),
					http.Header{"Retry-After": {after}, "Vendure-Auth-Token": {"session"}},
				)
			},
		}.Check(t)
	})
}
