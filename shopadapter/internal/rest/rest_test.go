package rest_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/httpstatus"
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
		Words: httpstatus.Words{httpstatus.Denied: "the key is wrong"},
	}
}

func TestCall(t *testing.T) {
	c := client(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.String() != "/api/things?a=b+c" ||
			r.Header.Get("Authorization") != "Bearer "+secret {
			t.Errorf("%s %s", r.Method, r.URL)
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = w.Write([]byte(`{"id":"7"}`))
	})
	var out struct{ ID string }
	query, body := map[string]string{"a": "b c"}, map[string]any{"x": "<y>"}
	if err := c.Call(t.Context(), http.MethodPost, "things", query, body, &out); err != nil {
		t.Errorf("got error %v, want none", err)
	}
	if out.ID != "7" {
		t.Errorf("got id %q, want 7", out.ID)
	}
}

// Each answer that is no success is a Refusal with its words, and each that cannot be read is
// mended by time. None holds the secret.
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
			if r != nil && r.Type+": "+r.Message != tt.refusal {
				t.Errorf("%+v", r)
			}
			if says := err.Error(); r != nil && (!strings.Contains(says, fmt.Sprintf("(HTTP %d)", tt.code)) ||
				tt.code == 401 && says != "the key is wrong (HTTP 401)" || tt.code == 400 && says != "the shop "+
				"refuses the product (HTTP 400): no such thing") {
				t.Errorf("it says %q", says)
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
	if err := c.Call(t.Context(), http.MethodGet, "things", nil, nil, nil); err == nil ||
		strings.Contains(err.Error(), secret) {
		t.Errorf("%v", err)
	}
}

func TestAPI(t *testing.T) {
	var seen []string
	judged := errors.New("judged")
	api := rest.API[struct{ ID string }]{
		Client: client(t, func(w http.ResponseWriter, r *http.Request) {
			if seen = append(seen, r.Method+" "+r.URL.String()); r.Method == http.MethodDelete {
				w.WriteHeader(http.StatusConflict)
			}
			_, _ = w.Write([]byte(`{"id":"7"}`))
		}),
		Judge: func(_ *rest.Refusal, err error) error { return errors.Join(judged, err) },
	}
	read, err := api.Get(t.Context(), "read thing", "things", map[string]string{"a": "b"})
	if err != nil || read.ID != "7" {
		t.Errorf("%+v, %v", read, err)
	}
	made, err := api.Post(t.Context(), "make thing", "things", nil, map[string]any{"x": 1})
	if err != nil || made.ID != "7" {
		t.Errorf("%+v, %v", made, err)
	}
	if err := api.Delete(t.Context(), "delete thing", "things/7"); !errors.Is(err, judged) ||
		!strings.HasPrefix(err.Error(), "delete thing: ") {
		t.Errorf("%v", err)
	}
	all, err := api.GetAll(
		t.Context(),
		"read all",
		rest.Question{Path: "a"},
		rest.Question{Path: "b", Query: map[string]string{"x": "y"}},
	)
	if err != nil || all.ID != "7" {
		t.Errorf("%+v, %v", all, err)
	}
	if all := strings.Join(seen, ", "); all != "GET /api/things?a=b, POST /api/things, DELETE /api/things/7, GET "+
		"/api/a, GET /api/b?x=y" {
		t.Errorf("the requests are %s", all)
	}
}
