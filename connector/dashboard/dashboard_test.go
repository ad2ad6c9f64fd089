package dashboard_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"github.com/pubsync/pubsync/connector/dashboard"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/publication"
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

func get(t *testing.T, page http.Handler, method, address string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	page.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, address, nil))
	return w
}

// parsed is the page as a browser takes it.
func parsed(t *testing.T, page http.Handler, address string) *html.Node {
	t.Helper()
	root, err := html.Parse(get(t, page, http.MethodGet, address).Body)
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
	w := get(t, page, http.MethodGet, "/")
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
	if w := get(t, page, http.MethodHead, "/"); w.Code != http.StatusOK {
		t.Errorf("HEAD: %d", w.Code)
	}
	if w := get(t, page, http.MethodPut, "/"); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") == "" {
		t.Errorf("PUT: %d, Allow %q", w.Code, w.Header().Get("Allow"))
	}
}

// The policy lets run what the page holds and nothing else: a hash that is not the element's would
// leave the page dead, anything unsafe-… would let in what a title brings along.
func TestContentSecurityPolicy(t *testing.T) { ofEachPage(t, testContentSecurityPolicy) }

func testContentSecurityPolicy(t *testing.T, page http.Handler) {
	root := parsed(t, page, "/")
	policy := map[string]string{}
	said := get(t, page, http.MethodGet, "/").Header().Get("Content-Security-Policy")
	for directive := range strings.SplitSeq(said, ";") {
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

// Each address is a page, which says in words how things stand.
func TestWords(t *testing.T) {
	w := newWorker(t)
	held(w, "pub/1", "Reading lamp")
	w.listed = append(w.listed, desk.Listed{
		ID: "2", State: "live", Title: "Chair", PriceFrom: "9.95", PriceTo: "19.95", Stock: new(1200), Margin: new(33.4),
		Backorders: true,
	})
	w.count()
	w.held, w.trial = aGroup(), aTrial()
	w.status.Compared = publication.Compared{At: time.Now(), Found: map[string]int{"price": 4, "missing": 1}}
	w.status.Sweeps.Next = store.At(time.Now().Add(290 * time.Second))
	const panel, tried = "/?id=pub%2F1", "/?page=prices"
	for _, tt := range []struct{ address, id, says string }{
		{"/", "groups", "3 products prices that would rise far · 30.00 → 63.00 in all, 3 up, 0 down, at most 110 %"},
		{"/", "rows", "9.95 – 19.95 1,200 then on order 33 %"},
		{"/", "place", "2 in all"},
		{"/", "facts", "deleted 1, price 4"},
		{"/", "facts", "none since the worker was started"},
		{"/", "facts", "4 minutes from now"},
		{"/?state=held", "rows", "Reading lamp"},
		{"/?state=rejected", "meaning", "The shop refuses the product"},
		{"/?state=rejected", "empty", "Nothing is rejected."},
		{"/?find=nothing", "empty", "Nothing matches “nothing”."},
		{panel, "panel", "Held for your approval Price of Red, L: 19.95 → 39.90"},
		{panel, "panel", "Held 1 hour ago."},
		{panel, "panel", "What was edited in the shop (title, images) is overwritten"},
		{panel, "panel", "price held1 hour ago created"},
		{"/?id=..", "panel", "Nothing is known of this publication."},
		{tried, "trial-words", "6,200 of 8,000 prices would move: 5,000 up, 1,200 down."},
		{tried, "trial-words", "31 prices would be held by the brake"},
		{tried, "trial-words", "The margin is 41 % of a price without VAT on average, where it is 38.2 % now."},
		{tried, "trial-words", "2 prices cannot be made: " + hostile},
		{tried, "trial-words", "Tried on all 2,000 products on sale"},
		{tried, "moves", "-22.5 %"},
		{tried + "&PUBSYNC_PRICE_ENDING=95", "trial-notice", "cannot be used: PUBSYNC_PRICE_ENDING: is not an ending"},
	} {
		if got := words(byID(parsed(t, w.page, tt.address), tt.id)); !strings.Contains(got, tt.says) {
			t.Errorf("%s: %s lacks %q: %s", tt.address, tt.id, tt.says, got)
		}
	}
}

// A browser without script sends forms, and reads what came of them.
func TestWithoutScript(t *testing.T) {
	w := newWorker(t)
	held(w, "pub/1", "Reading lamp")
	buttons := map[string]string{}
	for n := range parsed(t, w.page, "/?id=pub%2F1").Descendants() {
		if attr(n, "name") == "do" {
			buttons[words(n)] = attr(n, "value")
		}
	}
	if diff := cmp.Diff(map[string]string{
		"Approve": "approve", "Decline": "decline", "Retry": "retry", "Retry now": "retry", "Sweep now": "sweep",
		"Whole list": "full", "Overwrite the edits": "reset",
	}, buttons); diff != "" {
		t.Errorf("buttons (-want +got):\n%s", diff)
	}
	for form, want := range map[string]string{
		"do=approve&id=pub%2F1&hold=key": "1 product’s changes are approved.", "do=approve": "nothing is chosen",
		"do=retry&id=pub%2F1&id=2": "2 products are tried again now.", "do=lose": "of another version",
		"do=reset&id=pub%2F1": "The supplier’s version is written now.", "do=full": "Asked for: the whole list",
	} {
		res, err := http.Post(w.URL, "application/x-www-form-urlencoded", strings.NewReader(form))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(res.Body)
		if err := errors.Join(err, res.Body.Close()); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: error %v, lacks %q: %s", form, err, want, text)
		}
	}
	if n := len(w.received()); n != 4 {
		t.Errorf("%d commands were sent, want 4", n)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/?state=held", strings.NewReader("do=sweep"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	done := httptest.NewRecorder()
	w.page.ServeHTTP(done, r)
	if to := done.Header().Get("Location"); to != "?count=0&said=sweep&state=held" { // below whatever prefix
		t.Errorf("a form leads to %q", to)
	}
}

// The page leads to the shop's own pages and to the other accounts where there are some.
func TestLinks(t *testing.T) {
	w := newWorker(t)
	for o, want := range map[dashboard.Options]string{
		{}: "?page=prices metrics", {Catalogue: true, Accounts: true}: "catalog/ ../../ ?page=prices metrics",
	} {
		var links []string
		for n := range parsed(t, dashboard.Handler(w, o), "/").Descendants() {
			if n.Data == "a" && attr(n.Parent, "aria-label") == "Elsewhere" {
				links = append(links, attr(n, "href"))
			}
		}
		if got := strings.Join(links, " "); got != want {
			t.Errorf("links to %s, want %s", got, want)
		}
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

// Accounts that need a person come first.
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
	got := words(byID(parsed(t, page, "/"), "page"))
	for _, text := range []string{
		"2 of 122 accounts need a person.", "4 products on sale · 2 due · 0 reports owed · 1 account does not work",
		"asks working 1,200 held 4 2 0 shut faultythe token is refused does not work – – – quiet-000", "122 accounts",
	} {
		if !strings.Contains(got, text) {
			t.Errorf("lacks %q: %s", text, got)
		}
	}
}
