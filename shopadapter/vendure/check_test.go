package vendure_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/vendure"
)

func TestCheck(t *testing.T) {
	for _, tc := range []struct {
		name     string
		shop     func(*fakeShop)
		sdl      func(string) string
		settings []string
		kind     shopadapter.Kind
		says     string // "" when all is well
	}{
		{name: "all is well"},
		{name: "a session in a cookie", shop: func(f *fakeShop) { f.cookiesOnly = true }},
		{name: "the channel is named", settings: []string{"CHANNEL", "default-channel"}},
		{name: "the parts of the catalogue are granted one by one", shop: func(f *fakeShop) {
			f.rights = strings.Fields("ReadProduct CreateProduct UpdateProduct DeleteProduct ReadAsset CreateAsset " +
				"ReadFacet CreateFacet")
		}},
		{
			name: "a wrong password", settings: []string{"PASSWORD", "hunter2"}, kind: shopadapter.Blocked,
			says: "USERNAME and PASSWORD",
		},
		{name: "no custom fields", sdl: withoutCustomFields, kind: shopadapter.Blocked, says: vendure.ConfigLines},
		{name: "another channel", settings: []string{"CHANNEL", "unknown"}, kind: shopadapter.Blocked, says: "CHANNEL"},
		{
			name: "no tax zone", shop: func(f *fakeShop) { f.noTaxZone = true }, kind: shopadapter.Blocked,
			says: "default tax zone",
		},
		{
			name: "rights to read alone", shop: func(f *fakeShop) { f.rights = []string{"ReadCatalog"} },
			kind: shopadapter.Blocked,
			says: "CreateProduct, CreateAsset, CreateFacet, UpdateProduct, DeleteProduct",
		},
		{
			name: "an address that is not Vendure's", settings: []string{"URL", "https://vendure.example/shop"},
			kind: shopadapter.Blocked, says: "check URL",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.sdl == nil {
				tc.sdl = func(sdl string) string { return sdl }
			}
			fake := newFakeShopWith(t, tc.sdl)
			if tc.shop != nil {
				tc.shop(fake)
			}
			a := fake.open(t, tc.settings...)
			_, err := a.Check(t.Context())
			if tc.says == "" {
				if err != nil {
					t.Errorf("refused: %v", err)
				}
				return
			}
			if e := shopadapter.Explain(err); e == nil || e.Kind != tc.kind || !e.ShopWide ||
				!strings.Contains(e.Message, tc.says) {
				t.Errorf("the error is %v, want %q", err, tc.says)
			}
			if strings.HasPrefix(tc.name, "rights") {
				return // the fake takes writes from everybody who is logged in
			}
			p := lamp("p", 1)
			_, err = a.Publish(t.Context(), shopadapter.Ref{Publication: p.ID}, p, shopadapter.AllFields)
			if e := shopadapter.Explain(err); e == nil || e.Kind != tc.kind || !e.ShopWide ||
				!strings.Contains(e.Message, tc.says) {
				t.Errorf("publish: the error is %v, want %q", err, tc.says)
			}
		})
	}
}

func TestALoginIsSharedAndRenewedOnce(t *testing.T) {
	fake := newFakeShop(t)
	const calls = 8
	together := &together{next: fake, waiting: calls, open: make(chan struct{})}
	a, err := vendure.Open(shopadapter.Options{Settings: settings(), HTTPClient: &http.Client{Transport: together}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = a.Close() })
	logins := func() int {
		n := 0
		for _, call := range fake.took() {
			if call == "Login" {
				n++
			}
		}
		return n
	}
	many := func() {
		var wg sync.WaitGroup
		for range calls {
			wg.Go(func() {
				if _, err := a.Check(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	many()
	if n := logins(); n != 1 {
		t.Errorf("%d logins at the start", n)
	}
	fake.expire()
	together.again(calls)
	many()
	if n := logins(); n != 1 {
		t.Errorf("%d logins after the session had expired", n)
	}
	fake.answer = func(operation string) *http.Response {
		if operation == "Login" {
			return nil
		}
		return coded("FORBIDDEN", "no")(operation)
	}
	if _, err := a.Check(t.Context()); err == nil {
		t.Error("no error")
	}
	if n := logins(); n != 1 {
		t.Errorf("%d logins for an account without rights", n)
	}
}

// A together gives the answers to so many requests, logins apart, only when all of them are there:
// then each caller has met the same session.
type together struct {
	next http.RoundTripper

	mu      sync.Mutex
	waiting int
	open    chan struct{}
}

func (g *together) again(calls int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting, g.open = calls, make(chan struct{})
}

func (g *together) RoundTrip(r *http.Request) (*http.Response, error) {
	login := r.Header.Get("Authorization") == ""
	response, err := g.next.RoundTrip(r)
	if login {
		return response, err
	}
	g.mu.Lock()
	if g.waiting--; g.waiting == 0 {
		close(g.open)
	}
	open := g.open
	g.mu.Unlock()
	<-open
	return response, err
}

func TestARedirectIsNotFollowed(t *testing.T) {
	fake := newFakeShop(t)
	fake.answer = func(string) *http.Response {
		return respond(
			http.StatusTemporaryRedirect,
			"text/html",
			"",
			http.Header{"Location": {"https://elsewhere.example/admin-api"}},
		)
	}
	_, err := fake.open(t).Check(t.Context())
	if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Blocked {
		t.Errorf("the error is %v", e)
	}
	if calls := fake.took(); len(calls) != 1 {
		t.Errorf("the login went to %d places", len(calls))
	}
}

func TestAWordAboutWhenToComeBack(t *testing.T) {
	fake := newFakeShop(t)
	fake.answer = func(string) *http.Response {
		return respond(http.StatusServiceUnavailable, "text/html", "", http.Header{"Retry-After": {"90"}})
	}
	_, err := fake.open(t).Check(t.Context())
	if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Transient || !e.ShopWide ||
		e.RetryAfter != 90*time.Second {
		t.Errorf("the error is %+v", e)
	}
}

func TestCurrency(t *testing.T) {
	f := newFakeShop(t)
	f.channel["defaultCurrencyCode"] = "SEK"
	if is, err := f.open(t).Check(t.Context()); err != nil || is.Currency != "SEK" {
		t.Errorf("%q, %v", is.Currency, err)
	}
}
