package dashboard_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/pubsync/pubsync/connector/dashboard"
	"github.com/pubsync/pubsync/store"
)

// ofEachPage holds each page to a test.
func ofEachPage(t *testing.T, test func(t *testing.T, page http.Handler)) {
	t.Helper()
	t.Run("an account", func(t *testing.T) { test(t, newWorker(t).page) })
	t.Run("accounts", func(t *testing.T) {
		test(t, dashboard.Accounts(func(context.Context) []dashboard.Account { return nil }))
	})
}

func get(t *testing.T, page http.Handler, method string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	page.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, "/", nil))
	return w
}

// parsed is the page as a browser takes it.
func parsed(t *testing.T, page http.Handler) *html.Node {
	t.Helper()
	root, err := html.Parse(get(t, page, http.MethodGet).Body)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// textOf is the text of the only element of this name.
func textOf(t *testing.T, root *html.Node, name string) string {
	t.Helper()
	var texts []string
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == name && n.FirstChild != nil {
			texts = append(texts, n.FirstChild.Data)
		}
	}
	if len(texts) != 1 {
		t.Fatalf("%d elements %s with a text, want one", len(texts), name)
	}
	return texts[0]
}

func TestHeaders(t *testing.T) { ofEachPage(t, testHeaders) }

func testHeaders(t *testing.T, page http.Handler) {
	w := get(t, page, http.MethodGet)
	if w.Code != http.StatusOK {
		t.Fatalf("status %d, want %d", w.Code, http.StatusOK)
	}
	for name, want := range map[string]string{
		"Content-Type":           "text/html; charset=utf-8",
		"X-Content-Type-Options": "nosniff",
		"Referrer-Policy":        "same-origin", // else a form comes with the origin null
		"Cache-Control":          "no-store",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestMethods(t *testing.T) { ofEachPage(t, testMethods) }

func testMethods(t *testing.T, page http.Handler) {
	if w := get(t, page, http.MethodHead); w.Code != http.StatusOK {
		t.Errorf("HEAD: %d", w.Code)
	}
	if w := get(t, page, http.MethodPut); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") == "" {
		t.Errorf("PUT: %d, Allow %q", w.Code, w.Header().Get("Allow"))
	}
}

// The policy lets run what the page holds and nothing else: a hash that is not the element's would
// leave the page dead, anything unsafe-… would let in what a title brings along.
func TestContentSecurityPolicy(t *testing.T) { ofEachPage(t, testContentSecurityPolicy) }

func testContentSecurityPolicy(t *testing.T, page http.Handler) {
	root := parsed(t, page)
	policy := map[string]string{}
	for directive := range strings.SplitSeq(get(t, page, http.MethodGet).Header().Get("Content-Security-Policy"), ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), " ")
		policy[name] = value
	}
	sum := func(name string) string {
		s := sha256.Sum256([]byte(textOf(t, root, name)))
		return "'sha256-" + base64.StdEncoding.EncodeToString(s[:]) + "'"
	}
	for name, want := range map[string]string{
		"default-src":               "'none'",
		"script-src":                sum("script"),
		"style-src":                 sum("style"),
		"connect-src":               "'self'",
		"img-src":                   "data: https:",
		"base-uri":                  "'none'",
		"form-action":               "'self'",
		"frame-ancestors":           "'none'",
		"require-trusted-types-for": "'script'",
		"trusted-types":             "'none'",
	} {
		if policy[name] != want {
			t.Errorf("%s %s, want %s", name, policy[name], want)
		}
		delete(policy, name)
	}
	if len(policy) > 0 {
		t.Errorf("further directives: %v", policy)
	}
}

// A browser without script reads the same page, follows its links and sends its forms.
func TestWithoutScript(t *testing.T) {
	w := newWorker(t)
	held(w, "pub/1", "Reading lamp")
	read := func(res *http.Response, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close() //nolint:errcheck // only read
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	w.trial = aTrial()
	for address, want := range map[string]string{
		"/?page=prices": "6,200 of 8,000 prices would move: 5,000 up, 1,200 down.",
		"/?state=held":  "Reading lamp", "/?find=nothing": "Nothing matches “nothing”.",
		"/?id=pub%2F1":                          "Held for your approval",
		"/?page=prices&PUBSYNC_PRICE_ENDING=95": "These rules cannot be used: PUBSYNC_PRICE_ENDING: is not an ending",
	} {
		if text := read(http.Get(w.URL + address)); !strings.Contains(text, want) {
			t.Errorf("%s: lacks %q: %s", address, want, text)
		}
	}
	for form, want := range map[string]string{
		"do=approve&id=pub%2F1&hold=key": "1 product’s changes are approved.", "do=approve": "nothing is chosen",
		"do=retry&id=pub%2F1&id=2": "2 products are tried again now.", "do=lose": "of another version",
	} {
		body := strings.NewReader(form)
		if text := read(http.Post(w.URL, "application/x-www-form-urlencoded", body)); !strings.Contains(text, want) {
			t.Errorf("%s: lacks %q: %s", form, want, text)
		}
	}
	if n := len(w.received()); n != 2 {
		t.Errorf("%d commands were sent, want 2", n)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/?state=held", strings.NewReader("do=sweep"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	done := httptest.NewRecorder()
	w.page.ServeHTTP(done, r)
	if to := done.Header().Get("Location"); to != "?count=0&said=sweep&state=held" { // below whatever prefix
		t.Errorf("a form leads to %q", to)
	}
}

// The script's regular look at the page Prices tries no rule again: what it shows of the trial stays.
func TestPricesAreNotTriedAtEachLook(t *testing.T) {
	w := newWorker(t)
	w.trial = aTrial()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/?page=prices&PUBSYNC_PRICE_ADD=1", nil)
	r.Header.Set("Live", "again")
	shown := httptest.NewRecorder()
	w.page.ServeHTTP(shown, r)
	if text := shown.Body.String(); !strings.Contains(text, "data-same") || strings.Contains(text, "would move") {
		t.Errorf("got %s, want a trial that is left out", text)
	}
	if w.tried != nil {
		t.Errorf("tried %v, want nothing tried", w.tried)
	}
}

// Accounts that need a person come first, and each is found by its name.
func TestAccountsInTheirOrder(t *testing.T) {
	var all []dashboard.Account
	for i := range 120 {
		all = append(all, dashboard.Account{Name: fmt.Sprintf("quiet-%03d", i), State: "elsewhere"})
	}
	all = append(all,
		dashboard.Account{
			Name: "asks", State: "working", Publications: map[store.State]int{"held": 1200, "live": 3, "partial": 1}, Due: 2,
		},
		dashboard.Account{Name: "shut", State: "faulty", Error: "the token is refused"},
	)
	page := dashboard.Accounts(func(context.Context) []dashboard.Account { return all })
	for address, want := range map[string][]string{
		"/": {
			"2 of 122 accounts need a person.", "4 products on sale · 2 due · 0 reports owed · 1 account does not work",
			"shut faultythe token is refused does not work – – – asks working 1,200 held 4 2 0 quiet-000",
			"The first 100 of 122",
		},
		"/?find=quiet-119":  {"quiet-119", "1 account"},
		"/?find=Faulty":     {"the token is refused", "1 account"},
		"/?find=no+account": {"No account is like that."},
	} {
		w := httptest.NewRecorder()
		page.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, address, nil))
		root, err := html.Parse(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range want {
			if got := words(byID(root, "page")); !strings.Contains(got, text) {
				t.Errorf("%s: lacks %q: %s", address, text, got)
			}
		}
	}
}
