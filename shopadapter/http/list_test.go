package httpshop

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// answering opens an adapter over an endpoint that answers as handle does.
func answering(t *testing.T, handle http.HandlerFunc) *adapter {
	t.Helper()
	srv := httptest.NewServer(handle)
	t.Cleanup(srv.Close)
	a, err := shopadapter.Open(
		Name,
		shopadapter.Options{Settings: map[string]string{"URL": srv.URL}, HTTPClient: srv.Client()},
	)
	if err != nil {
		t.Fatal(err)
	}
	return a.(*adapter)
}

func said(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body))
	}
}

// What is no list is an error. It never looks like an empty shop.
func TestLists(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		code       int
		n          int
		noList     bool
		fails      bool
	}{
		{name: "empty", code: 200, body: `{"products":[]}`},
		{
			name: "one", code: 200,
			body: `{"products":[{"publication":"p","id":7,"url":"https://shop.example/p","onSale":true}],"after":""}`, n: 1,
		},
		{name: "not found", code: 404, body: "<h1>Not Found", noList: true, fails: true},
		{name: "not allowed", code: 405, noList: true, fails: true},
		{name: "a page of HTML", code: 200, body: "<!doctype html>", fails: true},
		{name: "another object", code: 200, body: `{"items":[]}`, fails: true},
		{name: "without an id", code: 200, body: `{"products":[{"publication":"p"}]}`, fails: true},
		{name: "without an end", code: 200, body: `{"products":[],"after":"x"}`, fails: true},
		{name: "refused", code: 401, fails: true},
		{name: "failing", code: 500, fails: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n, ended := 0, error(nil)
			for _, err := range answering(t, said(tt.code, tt.body)).List(context.Background(), shopadapter.Query{}) {
				if ended = err; err == nil {
					n++
				}
			}
			if n != tt.n || (ended != nil) != tt.fails || errors.Is(ended, shopadapter.ErrNoList) != tt.noList {
				t.Errorf("got %d listings, then %v, want %d, and an error: %t", n, ended, tt.n, tt.fails)
			}
		})
	}
}

// What health tells is read leniently, and shown without what does not belong on a line.
func TestHealth(t *testing.T) {
	hostile, err := json.Marshal(map[string]string{"version": "1\x1b[2J\n" + sentToken})
	if err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string][2]string{
		"": {}, "ok": {}, "{}": {}, `[]`: {}, `{"currency":null,"version":["a"]}`: {},
		`{"currency":"SEK","version":3}`: {"SEK", "3"}, `{"version":"2.4.1"}`: {"", "2.4.1"},
		string(hostile): {"", "1[2J [token]"},
	} {
		got, err := (&scripted{code: 200, body: body}).open(t).Check(t.Context())
		if err != nil || got.Currency != want[0] || got.Version != want[1] {
			t.Errorf("%q: got %+v, %v, want %q", body, got, err, want)
		}
	}
	for _, code := range []int{401, 404, 422, 503} {
		if _, err := answering(t, said(code, `{"currency":"SEK"}`)).Check(t.Context()); err == nil {
			t.Errorf("%d: got nil, want an error", code)
		}
	}
}

// A 410 says that somebody deleted the listing only where its body does. It is made anew when a person asks.
func TestGone(t *testing.T) {
	p := laws.Sample("p", 1)
	for _, tt := range []struct {
		name, body string
		hint       shopadapter.ListingID
		asked      bool // by a person
		gone       bool
		puts       string // the headers Pubsync-Recreate, of each PUT
	}{
		{"known to us", `{"deleted":true}`, "7", false, true, "-"},
		{"known to the shop alone", `{"deleted":true}`, "", false, true, "-"},
		{"asked for", `{"deleted":true}`, "", true, false, "true"},
		{"a wrong address", "", "7", false, false, "-"},
		{"a wrong address in JSON", `{"deleted":"no"}`, "", false, false, "-"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var puts []string
			a := answering(t, func(w http.ResponseWriter, r *http.Request) {
				flag := r.Header.Get("Pubsync-Recreate")
				if flag == "" {
					flag = "-"
				}
				if puts = append(puts, flag); flag == "true" {
					said(201, `{"id":"8","url":"https://shop.example/8"}`)(w, r)
					return
				}
				said(http.StatusGone, tt.body)(w, r)
			})
			l, err := a.Publish(
				t.Context(), shopadapter.Ref{Publication: p.ID, Listing: tt.hint, Asked: tt.asked}, p,
				shopadapter.AllFields,
			)
			if strings.Join(puts, ",") != tt.puts || errors.Is(err, shopadapter.ErrGone) != tt.gone {
				t.Errorf("got the PUTs %v, %v, want %s, and ErrGone: %t", puts, err, tt.puts, tt.gone)
			}
			ref := shopadapter.Ref{Publication: p.ID}
			if _, err := a.Unpublish(t.Context(), ref, shopadapter.Delete); tt.gone && err != nil {
				t.Errorf("take away what is gone: %v", err)
			}
			e := shopadapter.Explain(err)
			switch {
			case strings.HasSuffix(tt.puts, "true") && (err != nil || l.ID != "8"):
				t.Errorf("made anew: got %+v, %v, want the listing", l, err)
			case tt.puts == "-" && !tt.gone && (e.Kind != shopadapter.Blocked || !e.ShopWide):
				t.Errorf("a wrong address: got %v, want a blocked error", err)
			}
		})
	}
}
