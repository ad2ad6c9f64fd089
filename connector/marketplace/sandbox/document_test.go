package sandbox

import (
	"encoding/json"
	"testing"
)

// Whatever is sent is answered with JSON, and never leaves the bucket with more than it holds.
func FuzzDocument(f *testing.F) {
	for _, query := range []string{
		`{ __typename a: publication(id: 7) { id listing { product { variants(first: 2) { edges { cursor } } } } } }`,
		`{ publications(first: -1, after: null, sort: UPDATED_AT_ASC) { nodes { id } pageInfo { endCursor } } }`,
		`{ publications(first: 9, after: "aTAuYQ") { edges { cursor node { ...F } } } } fragment F on Publication { id }`,
		`mutation { publicationStatusUpdated(input: {id: "a", status: "success"}) { userErrors { field } } }`,
		`mutation { webhookCreate(input: {callbackUrl: "http://[::1", events: "X"}) { webhook { id } } }`,
		`{ __schema { types { name fields { type { ofType { name } } } } } __type(name: "Query") { name } }`,
		`{ categories { parent { parent { parent { path } } } translation { name @skip(if: true) } } }`, `{`, ``,
	} {
		f.Add(query)
	}
	m := New(Options{RestoreRate: 1e9})
	f.Cleanup(m.Close)
	m.Add(simple("a"))
	f.Fuzz(func(t *testing.T, query string) {
		if r := post(t, m, query, nil); !json.Valid([]byte(r.body)) || m.Remaining() > 1000 {
			t.Errorf("got %s, and %d points", r.body, m.Remaining())
		}
	})
}
