package woocommerce

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/fakeshop"
)

// Each fault between the connector and a shop has a message of its own, which says what to do.
func TestCheck(t *testing.T) {
	answering := func(status int, header ...string) func(http.RoundTripper) http.RoundTripper {
		return around(func(_ http.RoundTripper, req *http.Request) (*http.Response, error) {
			return page(req, status, header...), nil
		})
	}
	for _, tt := range []struct {
		name     string
		shop     func(f *fakeShop)
		wrap     func(http.RoundTripper) http.RoundTripper
		settings []string
		kind     shopadapter.Kind
		want     string
	}{
		{name: "all is well", kind: -1},
		{name: "wrong address", shop: func(f *fakeShop) { f.Foreign = true }, kind: shopadapter.Blocked, want: "no " +
			"WordPress at the address"},
		{
			name: "no pretty permalinks", shop: func(f *fakeShop) { f.Bare = true }, kind: shopadapter.Blocked,
			want: "Settings > Permalinks",
		},
		{
			name: "no WooCommerce", shop: func(f *fakeShop) { f.Without = true }, kind: shopadapter.Blocked,
			want: "install and activate WooCommerce",
		},
		{
			name: "neither", shop: func(f *fakeShop) { f.Bare, f.Without = true, true }, kind: shopadapter.Blocked,
			want: "install and activate WooCommerce",
		},
		{
			name: "before WooCommerce 9.6",
			wrap: around(func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
				if strings.HasSuffix(req.URL.Path, "/products/brands") {
					resp := page(req, http.StatusNotFound)
					resp.Body, resp.ContentLength = body(`{"code":"rest_no_route","message":"No route was found"}`), -1
					return resp, nil
				}
				return next.RoundTrip(req)
			}),
			kind: shopadapter.Blocked, want: "update WooCommerce to 9.6 or later",
		},
		{
			name: "closed by a plugin", shop: func(f *fakeShop) { f.Blocked = true }, kind: shopadapter.Blocked,
			want: "security plugin",
		},
		{
			name: "closed by a firewall", shop: func(f *fakeShop) { f.Firewall = true }, kind: shopadapter.Blocked,
			want: "a firewall before the shop",
		},
		{
			name: "unknown key", settings: []string{"KEY", "ck_other"}, kind: shopadapter.Blocked,
			want: "PUBSYNC_WOOCOMMERCE_KEY",
		},
		{
			name: "wrong secret", settings: []string{"SECRET", "cs_other"}, kind: shopadapter.Blocked,
			want: "PUBSYNC_WOOCOMMERCE_SECRET",
		},
		{name: "read-only key", shop: func(f *fakeShop) { f.ReadOnly = true }, kind: shopadapter.Blocked, want: "Read/Write"},
		{
			name: "redirected", wrap: answering(301, "Location", "https://www.example.com/wp-json/wc/v3/products?oauth=x"),
			kind: shopadapter.Blocked,
			want: "redirects to https://www.example.com:",
		},
		{name: "PUT not let through", wrap: answering(405), kind: shopadapter.Blocked, want: "does not let this " +
			"kind of request through"},
		{name: "under maintenance", wrap: answering(503), kind: shopadapter.Transient, want: "asks for a pause"},
		{name: "a page in place of data", wrap: answering(200), kind: shopadapter.Transient, want: "a web page in " +
			"place of data"},
		{name: "a broken gateway", wrap: answering(502), kind: shopadapter.Transient, want: "HTTP 502"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFakeShop(t)
			if tt.shop != nil {
				tt.shop(f)
			}
			_, err := f.connect(t, quickly(), tt.wrap, tt.settings...).Check(t.Context())
			if tt.kind < 0 {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			e := shopadapter.Explain(err)
			if e == nil || e.Kind != tt.kind || !strings.Contains(e.Error(), tt.want) ||
				e.Kind == shopadapter.Blocked && !e.ShopWide {
				t.Errorf("got %+v, want %s with %q", e, tt.kind, tt.want)
			}
		})
	}
}

// The shop's own currency is told as its settings hold it. A key that may not see them, and a shop
// without the route, say nothing.
func TestCurrency(t *testing.T) {
	answering := func(status int, text string) func(http.RoundTripper) http.RoundTripper {
		return around(func(_ http.RoundTripper, req *http.Request) (*http.Response, error) {
			resp := page(req, status)
			resp.Body = body(text)
			return resp, nil
		})
	}
	for _, tt := range []struct {
		name   string
		shop   func(f *fakeShop)
		wrap   func(http.RoundTripper) http.RoundTripper
		want   string
		failed bool
	}{
		{name: "as it is", want: "EUR"},
		{name: "another", shop: func(f *fakeShop) { f.Currency = "USD" }, want: "USD"},
		{name: "not to be seen", shop: func(f *fakeShop) { f.Currency = "" }},
		{name: "no such route", wrap: answering(404,
			`{"code":"rest_no_route","message":"No route was found matching the URL and request method."}`)},
		{
			name: "another text", failed: true,
			wrap: answering(200, `[{"id":"woocommerce_currency","value":"GET /wp-json HTTP/1.1"}]`),
		},
		{name: "a page", wrap: answering(200, `<html>`), failed: true},
		{name: "another site", shop: func(f *fakeShop) { f.Foreign = true }, failed: true},
		{
			name: "a broken shop", wrap: answering(500, `{"code":"internal_server_error","message":"critical error"}`),
			failed: true,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFakeShop(t)
			if tt.shop != nil {
				tt.shop(f)
			}
			is, err := f.connect(t, quickly(), tt.wrap).readSettings(t.Context())
			if got := is.currency; got != tt.want || (err != nil) != tt.failed {
				t.Errorf("the currency is %q, %v, want %q, an error: %t", is.currency, err, tt.want, tt.failed)
			}
		})
	}
}

// Who can mend it, for each answer to a creation.
func TestKinds(t *testing.T) {
	type want struct {
		kind     shopadapter.Kind
		shopWide bool
		after    time.Duration
	}
	for _, tt := range []struct {
		name   string
		status int
		body   string
		header []string
		want   want
	}{
		{
			"a parameter", 400, `{"code":"rest_invalid_param","message":"Invalid parameter(s): name","data":{"status":400,` +
				`"params":{"name":"too long"}}}`,
			nil,
			want{kind: shopadapter.Rejected},
		},
		{"data that is a list", 400, `{"code":"x","message":"no","data":[]}`, nil, want{kind: shopadapter.Rejected}},
		{"400 from a proxy", 400, `<h1>400</h1>`, nil, want{}},
		{"too large", 413, `<h1>413</h1>`, nil, want{kind: shopadapter.Rejected}},
		{"429", 429, ``, []string{"Retry-After", "7"}, want{shopWide: true, after: 7 * time.Second}},
		{"503", 503, `<h1>503</h1>`, nil, want{shopWide: true}},
		{"503 with a date", 503, ``, []string{"Retry-After", "Mon, 02 Jan 2006 15:04:05 GMT"}, want{shopWide: true}},
		{"500", 500, `{"code":"internal_server_error","message":"<p>There has been a critical error</p>"}`, nil, want{}},
		{"504", 504, ``, nil, want{}},
		{"524", 524, ``, nil, want{}},
		{
			"401", 401, `{"code":"woocommerce_rest_cannot_create","message":"Sorry"}`, nil,
			want{kind: shopadapter.Blocked, shopWide: true},
		},
		{
			"403 of the shop", 403, `{"code":"rest_forbidden","message":"Sorry"}`, nil,
			want{kind: shopadapter.Blocked, shopWide: true},
		},
		{
			"no route", 404, `{"code":"rest_no_route","message":"No route"}`, nil,
			want{kind: shopadapter.Blocked, shopWide: true},
		},
		{"404 page", 404, `<h1>404</h1>`, nil, want{kind: shopadapter.Blocked, shopWide: true}},
		{"302", 302, ``, []string{"Location", "/login"}, want{kind: shopadapter.Blocked, shopWide: true}},
		{"201 without an id", 201, `{}`, nil, want{}},
		{"201 with a warning before it", 201, "<br /><b>Warning</b>: x {\"id\":1}", nil, want{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFakeShop(t)
			a := f.connect(t, quickly(), around(func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
				if req.Method != http.MethodPost {
					return next.RoundTrip(req)
				}
				resp := page(req, tt.status, tt.header...)
				resp.Body = http.NoBody
				if tt.body != "" {
					resp.Body = body(tt.body)
				}
				return resp, nil
			}))
			p := sample("kinds", 1)
			_, err := a.Publish(t.Context(), refOf(p), p, shopadapter.AllFields)
			e := shopadapter.Explain(err)
			if e == nil {
				t.Fatal("got no error, want one")
			}
			if got := (want{e.Kind, e.ShopWide, e.RetryAfter}); got != tt.want || strings.Contains(e.Error(), "<") {
				t.Errorf("got %+v, want %+v: %s", got, tt.want, e)
			}
		})
	}
}

// A firewall that takes offence at the words of one product does not stop the shop.
func TestFirewallAgainstOneProduct(t *testing.T) {
	for _, all := range []bool{false, true} {
		f := newFakeShop(t)
		a := f.connect(t, quickly(), around(func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
			if req.Method == http.MethodPost && (all || req.ContentLength > 10) {
				return page(req, http.StatusForbidden), nil
			}
			return next.RoundTrip(req)
		}))
		p := sample("words", 1)
		_, err := a.Publish(t.Context(), refOf(p), p, shopadapter.AllFields)
		if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Blocked || e.ShopWide != all ||
			!strings.Contains(e.Error(), "firewall") {
			t.Errorf("got %+v, want a firewall that blocks every product: %t", e, all)
		}
	}
}

func TestListerPagesAndCopies(t *testing.T) {
	f, a := opened(t)
	want := map[string]bool{}
	for i := range 205 {
		f.NextPost++
		id := f.NextPost
		s := newNote(shopadapter.PublicationID("p/" + idText(number(i))))
		switch i % 5 {
		case 0:
			s.Product = kit.ProductID(idText(number(id)))
		case 1:
			s.Product = kit.ProductID(idText(number(id - 1))) // a copy of the one before
		}
		value := kit.Encode(s)
		if i%5 == 2 {
			value = "not a stamp"
		}
		f.Posts[id] = &fakeshop.Post{
			ID:     id,
			Kind:   "simple",
			Status: "publish",
			Slug:   idText(number(id)),
			Meta:   map[string]any{noteKey: value, "other": 1},
		}
		if i%5 == 0 || i%5 > 2 {
			want["p/"+idText(number(i))] = true
		}
	}
	// A copy of a product whose stamp has no id yet: the older one counts.
	f.NextPost++
	young := f.NextPost
	f.Posts[young] = &fakeshop.Post{
		ID: young, Kind: "simple", Status: "draft", Meta: map[string]any{noteKey: kit.Encode(newNote("p/3"))},
	}
	var got []string
	for l, err := range a.List(t.Context(), shopadapter.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(l.Ref.Publication))
		if !want[string(l.Ref.Publication)] || l.Ref.Listing == shopadapter.ListingID(idText(number(young))) ||
			!l.OnSale ||
			l.URL == "" {
			t.Errorf("got %+v, want one of %v, on sale with an address", l, want)
		}
	}
	if slices.Sort(got); len(slices.Compact(got)) != len(want) {
		t.Errorf("%d listings, want %d", len(got), len(want))
	}
	seen := map[shopadapter.PublicationID]bool{}
	for o, err := range a.List(t.Context(), shopadapter.Query{}) {
		id := o.Ref.Publication
		if err != nil || seen[id] || o.Ref.Listing == shopadapter.ListingID(idText(number(young))) {
			t.Errorf("observed %s of %q, %v, want each publication once, and no copy", o.Ref.Listing, id, err)
		}
		seen[id] = true
	}
}
