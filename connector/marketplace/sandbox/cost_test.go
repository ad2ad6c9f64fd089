package sandbox

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

// A reply is what came of one request.
type reply struct {
	status  int
	body    string
	Data    json.RawMessage
	Errors  []struct{ Message string }
	Extends struct{ Throttle throttle } `json:"extensions"`
}

type throttle struct {
	RequestedCost, ActualCost, Limit, Remaining int
	RestoreRate                                 float64
}

// post sends a query and its variables.
func post(t *testing.T, m *Marketplace, query string, variables map[string]any) (r reply) {
	t.Helper()
	body := encode(map[string]any{"query": query, "variables": variables})
	const address = "http://m/v1/graphql"
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(string(body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+DefaultToken)
	resp, err := m.Transport().RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close() //nolint:errcheck // it was read
	read, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	_ = json.Unmarshal(read, &r) // a 429 has no JSON
	r.status, r.body = resp.StatusCode, string(read)
	return r
}

// simple is a publication with one variant.
func simple(id string) Publication {
	return Publication{ID: id, Listing: &Listing{
		ProductID: "product-" + id, Texts: map[string]Text{"en": {Title: "Title of " + id}},
		Variants: []Variant{{
			ID: "variant-" + id, Cost: "5.00", MSRP: "10.00", Options: []Option{{Name: "Size", Value: "M"}},
		}},
	}}
}

// newTest is a marketplace that is closed with the test.
func newTest(t *testing.T, opts Options) *Marketplace {
	t.Helper()
	m := New(opts)
	t.Cleanup(m.Close)
	return m
}

func TestCost(t *testing.T) {
	for _, tt := range []struct {
		name              string
		opts              Options
		query             string
		requested, actual int
	}{
		{"scalars are free", Options{}, `{ publication(id: "a") { id status } }`, 1, 1},
		{"or not", Options{ScalarCost: 1}, `{ publication(id: "a") { id status } }`, 3, 3},
		{"an object that is null is refunded", Options{ScalarCost: 1}, `{ publication(id: "z") { id status } }`, 3, 0},
		{"and all that is below it", Options{}, `{ publication(id: "b") { id listing { product { id } } } }`, 3, 1},
		{"aliases cost each", Options{}, `{ x: publication(id: "a") { id } y: publication(id: "a") { id } }`, 2, 2},
		{"entries that do not come are refunded", Options{}, `{ publications(first: 50) { nodes { id } } }`, 51, 3},
		{"edges count as nodes", Options{ScalarCost: 1}, `{ publications(first: 50) { edges { node { id } } } }`, 151, 7},
		{"pageInfo counts once", Options{ScalarCost: 1}, `{ publications(first: 50) { pageInfo { endCursor } } }`, 3, 3},
		{
			"connections multiply",
			Options{},
			`{ publications(first: 4) { nodes { id listing {
				variants(first: 30) { nodes { id options { name } } pageInfo { hasNextPage } } } } pageInfo { endCursor } } }`,
			1 + 4*(1+1+1+30*2+1) + 1, 1 + (1 + 1 + 1 + 1*2 + 1) + 1 + 1,
		},
		{"a default is an argument", Options{}, `query($n: Int! = 9) { publications(first: $n) { nodes { id } } }`, 10, 3},
		{"a plain list counts as one", Options{}, `{ categories { path parent { path } translation { name } } }`, 3, 3},
		{
			"fields cost unlike their kind",
			Options{ScalarCost: 1, FieldCosts: map[string]int{"publications": 4, "nodes": 3, "id": 0}},
			`{ publications(first: 10) { nodes { id status } } }`, 4 + 10*4, 4 + 2*4,
		},
		{"introspection costs one in all", Options{ScalarCost: 1}, `{ __schema { types { fields { name } } } }`, 1, 1},
		{
			"a refused report", Options{}, `mutation { publicationStatusUpdated(input: {id: "z", status: "success"}) {
				publication { updatedAt } userErrors { field } } }`, 3, 2,
		},
		{"an error while answering", Options{}, `{ publications(first: 5, after: "oops") { nodes { id } } }`, 6, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newTest(t, tt.opts)
				m.Add(simple("a"), Publication{ID: "b"})
				got := post(t, m, tt.query, nil).Extends.Throttle
				want := throttle{tt.requested, tt.actual, 1000, 1000 - tt.actual, 50}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("throttle of the answer (-want +got):\n%s", diff)
				}
				if r := m.Requests()[0]; r.ActualCost != tt.actual {
					t.Errorf("got %+v in the ledger, want %d points", r, tt.actual)
				}
			})
		})
	}
}

// A query that is too large costs nothing, and lists within lists do not overflow into a small one.
func TestQueryLimit(t *testing.T) {
	const n = `2147483647`
	m := newTest(t, Options{QueryLimit: 400})
	for query, good := range map[string]bool{
		`{ publications(first: 399) { nodes { id } } }`: true, `{ publications(first: 400) { nodes { id } } }`: false,
		`{ publications(first: ` + n + `) { nodes { listing { variants(first: ` + n + `) { nodes { id } } } } } }`: false,
	} {
		r := post(t, m, query, nil)
		if refused := strings.Contains(r.body, "exceeds the single query limit of 400"); refused == good ||
			refused && r.Extends.Throttle.ActualCost != 0 {
			t.Errorf("%s: got %s, want good %t", query, r.body, good)
		}
	}
}

func TestAnUnknownScopeIsRefused(t *testing.T) {
	m := newTest(t, Options{})
	for scope, good := range map[string]bool{"account_read": true, "account_read,publications_read": false} {
		_, err := m.Answer("?response_type=code&client_id="+DefaultClientID+"&redirect_uri=https://a.example/&scope="+scope,
			Consent{})
		if (err == nil) != good {
			t.Errorf("Answer to %s: got %v, want good %t", scope, err, good)
		}
	}
}
