package sandbox

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// Whatever a client sends, the answer is JSON and says what it cost, and never more than was held
// for it.
func FuzzQuery(f *testing.F) {
	f.Add(everything, `{}`)
	f.Add(introspection, `null`)
	f.Add(reportStatus, `{"input":{"id":"p1","status":"success","productUrl":"https://shop.example/"}}`)
	f.Add(createWebhook, `{"input":{"callbackUrl":"http://127.0.0.1/","events":["PUBLICATION_CREATED"]}}`)
	f.Add(
		`query($n: Int! = 2, $a: String, $y: Boolean!) { publications(first: $n, after: $a) { nodes { id @skip(if: $y) } } }`,
		`{"n":1,"a":null,"y":false}`,
	)
	f.Add(`{ x: __type(name: "Query") { name } publications(first: 2147483647) { edges { cursor } } }`, `[]`)
	m := New(Options{Limit: 1 << 31, ScalarCost: 1, ListingRequired: true, PageInfoMultiplied: true})
	f.Cleanup(m.Close)
	m.Add(simple("p1"), Publication{ID: "p2"})
	f.Fuzz(func(t *testing.T, query, variables string) {
		if !json.Valid([]byte(variables)) || len(query) > 4096 {
			t.Skip("only valid JSON reaches the executor, and a short query is as good as a long one")
		}
		text, err := json.Marshal(query)
		if err != nil {
			t.Fatal(err)
		}
		req := request(t, `{"query":`+string(text)+`,"variables":`+variables+`}`)
		e := send(t, m, req)
		if e.err != nil || e.status != http.StatusOK && e.status != http.StatusBadRequest ||
			!json.Valid([]byte(e.body)) {
			t.Fatalf("answered %d %s %v", e.status, e.body, e.err)
		}
		if th := e.Extends.Throttle; th == nil || th.ActualCost > th.RequestedCost || th.ActualCost < 0 {
			t.Errorf("throttle is %+v of %s", th, query)
		}
		if e.Data == nil && len(e.Errors) == 0 || strings.Contains(e.body, "Internal server error") {
			t.Errorf("answered %s", e.body)
		}
	})
}
