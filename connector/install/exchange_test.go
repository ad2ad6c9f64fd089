package install

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

func TestMissing(t *testing.T) {
	for _, tt := range []struct{ wanted, granted, missing string }{
		{"account_read,products_read", "account_read,products_read", ""},
		{"account_read,products_read", "products_read,account_read,orders_read", ""},
		{"account_read,products_read", "account_read,products_write", ""}, // write implies read
		// the marketplace names the write scope alone
		{"products_read,products_write", "products_write", ""},
		{"products_write", "products_read", "products_write"}, // read does not imply write
		{"account_read,products_read", "account_read", "products_read"},
		{"account_read,products_read", "", "account_read products_read"},
		{"account_read,products_read", "account_read products_read", ""},
		{"account_read,products_read", " account_read , products_read ", ""},
		{"products_read", "my_products_read,products_reads", "products_read"},
	} {
		if got := strings.Join(missing(strings.Split(tt.wanted, ","), tt.granted), " "); got != tt.missing {
			t.Errorf("wanted %s, granted %q: missing %q, want %q", tt.wanted, tt.granted, got, tt.missing)
		}
	}
}

// An answerer answers the exchange, and counts how often it was asked.
type answerer struct {
	status   int
	body     string
	location string
	asked    int
}

func (a *answerer) RoundTrip(r *http.Request) (*http.Response, error) {
	a.asked++
	header := http.Header{}
	if a.location != "" {
		header.Set("Location", a.location)
	}
	return &http.Response{
		StatusCode: a.status, Header: header, Body: io.NopCloser(strings.NewReader(a.body)), Request: r,
	}, nil
}

func answeredBy(t *testing.T, a *answerer) *Handler {
	o := newHouse(t, sandbox.Options{}).handler.Options
	o.Transport = a
	return NewHandler(o)
}

// An answer that cannot be read gives no token. The error repeats no text of the marketplace, which
// may hold the code or the secret.
func TestAnswersWithoutAToken(t *testing.T) {
	const thrown = "thrown-back-secret"
	for name, a := range map[string]*answerer{
		"no JSON":           {status: 200, body: "<html>" + thrown},
		"an error":          {status: 400, body: `{"error":"` + thrown + `"}`},
		"an empty answer":   {status: 200},
		"no token":          {status: 200, body: `{"scope":"account_read,products_read"}`},
		"a token of spaces": {status: 200, body: `{"access_token":"a b","token_type":"bearer"}`},
		"a header within":   {status: 200, body: `{"access_token":"a\r\nX-Y: z","token_type":"bearer"}`},
		"another type":      {status: 200, body: `{"access_token":"` + thrown + `","token_type":"mac"}`},
		"a long token":      {status: 200, body: `{"access_token":"` + strings.Repeat("x", longestToken+1) + `"}`},
		"a long answer": {
			status: 200,
			body:   `{"pad":"` + strings.Repeat("x", exchangeAnswer) + `","access_token":"` + thrown + `"}`,
		},
		"a token, and an odd scope": {status: 200, body: `{"access_token":"t","scope":7}`},
		"a number":                  {status: 200, body: `{"access_token":7}`},
		"a redirect":                {status: 307, location: "https://elsewhere.example/" + thrown},
	} {
		t.Run(name, func(t *testing.T) {
			h := answeredBy(t, a)
			token, _, err := h.exchange(t.Context(), "the-code")
			if err == nil || token != "" || strings.Contains(err.Error(), thrown) ||
				strings.Contains(err.Error(), "the-code") {
				t.Errorf("got %q, %v, want an error without a secret", token, err)
			}
			if a.asked != 1 {
				t.Errorf("got %d requests, want 1", a.asked)
			}
		})
	}
}
