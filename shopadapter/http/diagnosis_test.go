package httpshop

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

// A fronted shop is one in front of which something else answers.
type fronted struct {
	answer func(r *http.Request) (code int, body string)
}

func (f fronted) open(t *testing.T, base string) *adapter {
	t.Helper()
	transport := roundTrip(func(r *http.Request) (*http.Response, error) {
		code, body := f.answer(r)
		return (&scripted{code: code, body: body}).RoundTrip(r)
	})
	a, err := open(shopadapter.Options{
		Settings: map[string]string{"URL": base}, HTTPClient: &http.Client{Transport: transport},
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// What stands in front of an endpoint is told from the endpoint, by the worker as by doctor: no
// product is rejected for it.
func TestWhatStandsInFrontOfAnEndpoint(t *testing.T) {
	always := func(code int, body string) func(*http.Request) (int, string) {
		return func(*http.Request) (int, string) { return code, body }
	}
	for _, tt := range []struct {
		name, base string
		answer     func(r *http.Request) (int, string)
		kind       shopadapter.Kind
		says       string
	}{
		{
			"a bad gateway over TLS", "https://shop.example.com", always(400, "<html><h1>400 Bad Request"),
			shopadapter.Transient, "a web page answers",
		},
		{
			"a bot check", "https://shop.example.com", always(200, "<!doctype html><title>Just a moment...</title>"),
			shopadapter.Transient, "bot check",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := fronted{tt.answer}.open(t, tt.base)
			checked := a.checked(t.Context())
			for verb, call := range a.verbs() {
				err := call(t.Context())
				if e := shopadapter.Explain(err); e == nil || e.Kind != tt.kind || !strings.Contains(e.Error(), tt.says) {
					t.Fatalf("%s: got %v, want %s, with %q", verb, err, tt.kind, tt.says)
				}
				if err.Error() != checked.Error() {
					t.Errorf("%s: got %q, want what the check says, %q", verb, err, checked)
				}
			}
		})
	}
}

// A 400 is about the product, in JSON or not.
func TestARefusalWithoutAProblem(t *testing.T) {
	a := fronted{func(*http.Request) (int, string) { return 400, "no such colour" }}.open(t, "http://shop.example.com")
	err := a.verbs()["PUT"](t.Context())
	if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Rejected ||
		!strings.Contains(e.Error(), "colour") {
		t.Errorf("got %v, want a rejection that says why", err)
	}
}
