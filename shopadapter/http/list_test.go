package httpshop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// A list that comes back to a cursor has no end, and one whose pages are empty has one.
func TestAListThatRepeatsItself(t *testing.T) {
	for _, tt := range []struct {
		name  string
		pages func(n int) string // of the n-th page
		asked int
		fails bool
	}{
		{"the last page again and again", func(n int) string {
			return fmt.Sprintf(`{"products":[{"publication":"p%d","id":7}],"after":"c%d"}`, n, min(n, 3))
		}, 4, true},
		{"few of many products", func(n int) string {
			if n%100 > 0 {
				return fmt.Sprintf(`{"products":[],"after":"c%d"}`, n)
			}
			after := map[bool]string{true: fmt.Sprint(n)}[n < 300]
			return fmt.Sprintf(`{"products":[{"publication":"p%d","id":7}],"after":%q}`, n, after)
		}, 300, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked := 0
			a := answering(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/health" {
					asked++
					said(http.StatusOK, tt.pages(asked))(w, r)
				}
			})
			_, err := observe(t, a, shopadapter.Query{})
			if asked != tt.asked || (err != nil) != tt.fails {
				t.Errorf("read %d pages, then %v, want %d, and an error: %t", asked, err, tt.asked, tt.fails)
			}
		})
	}
}

func TestCurrency(t *testing.T) {
	for body, want := range map[string]string{
		"": "", "ok": "", "{}": "", `{"currency":"SEK","version":3}`: "SEK", `{"currency":null}`: "", `[]`: "",
	} {
		if got, err := answering(t, said(200, body)).Check(t.Context()); err != nil || got.Currency != want {
			t.Errorf("%q: %q, %v", body, got.Currency, err)
		}
	}
	for _, code := range []int{401, 404, 422, 503} {
		if _, err := answering(t, said(code, `{"currency":"SEK"}`)).Check(t.Context()); err == nil {
			t.Errorf("%d: got nil, want an error", code)
		}
	}
}

// A 410 says that somebody deleted the listing only where its body does. Then the hint decides
// whether it is made anew.
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
		{"wanted again", `{"deleted":true}`, "", false, false, "-,true"},
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

func TestVersion(t *testing.T) {
	hostile, err := json.Marshal(map[string]string{"version": "1\x1b[2J\n" + sentToken})
	if err != nil {
		t.Fatal(err)
	}
	for body, want := range map[string]string{
		`{"version":"2.4.1"}`: "2.4.1", `{"version":7}`: "7", `{"version":["a"]}`: "", `{}`: "", "well": "",
		string(hostile): "1[2J [token]",
	} {
		if got, err := (&scripted{code: 200, body: body}).open(t).Check(t.Context()); err != nil || got.Version != want {
			t.Errorf("%s: %q, %v, not %q", body, got.Version, err, want)
		}
	}
	long := &scripted{code: 200, body: `{"version":"` + strings.Repeat("9", 5_000) + `"}`}
	if got, err := long.open(t).Check(t.Context()); err != nil ||
		len(got.Version) > 2*maxShown {
		t.Errorf("a version is shown with %d characters, %v", len(got.Version), err)
	}
	if _, err := (&scripted{code: 503, body: `{"version":"1"}`}).open(t).Check(t.Context()); err == nil {
		t.Error("the version of a shop that is not well: got one, want an error")
	}
}
