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
		switch {
		case e.err != nil:
			t.Fatalf("answered %d %s %v; e.err: got %v, want nil", e.status, e.body, e.err, e.err)
		case e.status != http.StatusOK && e.status != http.StatusBadRequest:
			t.Fatalf("got %d %s %v, want 200 or 400", e.status, e.body, e.err)
		case !json.Valid([]byte(e.body)):
			t.Fatalf("answered %d %s %v; json.Valid([]byte(e.body)): got false, want true", e.status, e.body, e.err)
		}
		switch th := e.Extends.Throttle; {
		case th == nil:
			t.Errorf("throttle is %+v of %s; th: got nil, want a value", th, query)
		case th.ActualCost > th.RequestedCost:
			t.Errorf("throttle is %+v of %s; th.ActualCost: got %v, want at most %v", th, query, th.ActualCost, th.RequestedCost)
		case th.ActualCost < 0:
			t.Errorf("throttle is %+v of %s; th.ActualCost: got %v, want at least %v", th, query, th.ActualCost, 0)
		}
		switch {
		case e.Data == nil && len(e.Errors) == 0:
			t.Errorf("got %s, want data or errors", e.body)
		case strings.Contains(e.body, "Internal server error"):
			t.Errorf("answered %s; strings.Contains(e.body, \"Internal server error\"): got true, want false", e.body)
		}
	})
}
