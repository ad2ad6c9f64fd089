package sandbox

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// An exchange is one request and what came of it.
type exchange struct {
	status  int
	header  http.Header
	body    string
	Data    json.RawMessage
	Errors  []graphError
	Extends struct{ Throttle *throttle } `json:"extensions"`
	err     error                        // of the transport
}

type graphError struct {
	Message   string
	Path      []any
	Locations []struct{ Line, Column int }
}

// messages joins the messages of the errors.
func (e exchange) messages() string {
	all := make([]string, len(e.Errors))
	for i, err := range e.Errors {
		all[i] = err.Message
	}
	return strings.Join(all, "; ")
}

// request makes a POST with the default token.
func request(t *testing.T, body string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(
		t.Context(), http.MethodPost, "https://marketplace.example/v1/graphql", strings.NewReader(body),
	)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+DefaultToken)
	return req
}

// send sends a request without sockets.
func send(t *testing.T, m *Marketplace, req *http.Request) exchange {
	t.Helper()
	resp, err := m.Transport().RoundTrip(req)
	if err != nil {
		return exchange{err: err}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	e := exchange{status: resp.StatusCode, header: resp.Header, body: string(body), err: err}
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") && err == nil {
		_ = json.Unmarshal(body, &e) // a test of broken JSON looks at the body
	}
	return e
}

// post sends a query and its variables.
func post(t *testing.T, m *Marketplace, query string, variables map[string]any) exchange {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		t.Fatal(err)
	}
	req := request(t, string(body))
	if base := m.opts.BaseURL; base != "" {
		if req.URL, err = url.Parse(base + "/v1/graphql"); err != nil {
			t.Fatal(err)
		}
	}
	return send(t, m, req)
}

// ask posts a query that must succeed, and returns its data as compact JSON.
func ask(t *testing.T, m *Marketplace, query string, variables map[string]any) string {
	t.Helper()
	e := post(t, m, query, variables)
	switch {
	case e.err != nil:
		t.Fatalf("%s\nanswered %d %s %v; e.err: got %v, want nil", query, e.status, e.body, e.err, e.err)
	case e.status != http.StatusOK:
		t.Fatalf("%s\nanswered %d %s %v; e.status: got %v, want %v", query, e.status, e.body, e.err, e.status, http.StatusOK)
	case len(e.Errors) > 0:
		t.Fatalf(
			"%s\nanswered %d %s %v; len(e.Errors): got %v, want at most %v", query, e.status, e.body, e.err, len(e.Errors),
			0,
		)
	}
	var out bytes.Buffer
	if err := json.Compact(&out, e.Data); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// simple is a publication with one variant, for tests in which the content does not matter.
func simple(id string) Publication {
	return Publication{ID: id, Listing: &Listing{
		ID: "listing-" + id, ProductID: "product-" + id,
		Texts: map[string]Text{"en": {Title: "Title of " + id}},
		Variants: []Variant{
			{ID: "variant-" + id, Cost: "5.00", MSRP: "10.00", Quantity: 3, Options: []Option{{"Size", "M"}}},
		},
	}}
}

// newTest is a marketplace that is closed with the test.
func newTest(t *testing.T, opts Options) *Marketplace {
	t.Helper()
	m := New(opts)
	t.Cleanup(m.Close)
	return m
}
