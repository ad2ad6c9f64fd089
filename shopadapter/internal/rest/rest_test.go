package rest_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/jsonlimit"
	"github.com/pubsync/pubsync/shopadapter/quote"
)

const secret = "s3cret-of-the-shop"

func client(t *testing.T, handle http.HandlerFunc) *rest.Client {
	t.Helper()
	srv := httptest.NewServer(handle)
	t.Cleanup(srv.Close)
	return &rest.Client{
		HTTP: srv.Client(), Base: srv.URL + "/api/", Header: http.Header{"Authorization": {"Bearer " + secret}},
		Limits: jsonlimit.Limits{Bytes: 1000, Elements: 100, Depth: 10}, Redact: quote.Hider("[token]", secret),
	}
}

func TestCall(t *testing.T) {
	c := client(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.String() != "/api/things?a=b+c" || r.Header.Get("Authorization") != "Bearer "+secret {
			t.Errorf("%s %s", r.Method, r.URL)
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte(`{"id":"7"}`))
	})
	var out struct{ ID string }
	if err := c.Call(t.Context(), http.MethodPost, "things", map[string]string{"a": "b c"}, map[string]string{"x": "<y>"}, &out); err != nil || out.ID != "7" {
		t.Errorf("%+v, %v", out, err)
	}
}

// Each answer that is no success is a Refusal with its words, and each that cannot be read is mended by time. None holds the secret.
func TestCallFails(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		code       int
		refusal    string // its type and message; "" for none
	}{
		{"a refusal", `{"type":"invalid_data","message":"no such thing"}`, 400, "invalid_data: no such thing"},
		{"one with the secret", `{"message":"you sent ` + secret + `"}`, 401, ": you sent [token]"},
		{"a page", "<!doctype html>", 502, ": an HTML page"},
		{"a text", "not\nfound", 404, ": not found"},
		{"a list", `[1]`, 200, ""},
		{"a page as success", "<p>" + secret, 200, ""},
		{"another form", `{"id":{}}`, 200, ""},
		{"too long", `{"id":"` + strings.Repeat("x", 2000) + `"}`, 200, ""},
		{"no content", "", 204, ": "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := client(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tt.code)
				_, _ = w.Write([]byte(tt.body))
			})
			var out struct{ ID string }
			err := c.Call(t.Context(), http.MethodGet, "things", nil, nil, &out)
			var r *rest.Refusal
			if err == nil || strings.Contains(err.Error(), secret) || errors.As(err, &r) != (tt.refusal != "") {
				t.Fatalf("%v", err)
			}
			if r != nil && (r.Type+": "+r.Message != tt.refusal || r.Status != tt.code) {
				t.Errorf("%+v", r)
			}
			if r == nil && shopadapter.Explain(err).Kind != shopadapter.Transient {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestCallWithoutAnAnswer(t *testing.T) {
	c := client(t, nil)
	c.Base = "http://127.0.0.1:1/" + secret + "/"
	if err := c.Call(t.Context(), http.MethodGet, "things", nil, nil, nil); err == nil || strings.Contains(err.Error(), secret) {
		t.Errorf("%v", err)
	}
}
