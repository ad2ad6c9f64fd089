package woocommerce

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/fakeshop"
)

const (
	htmlNotice = "<br />\n<b>Notice</b>:  Undefined index: {size} in " +
		"<b>/var/www/html/wp-content/plugins/fancy-sizes/fancy.php</b> on line <b>12</b><br />\n"
	textNotice = "\nPHP Deprecated:  Function get_magic_quotes() is deprecated in /srv/www/wp-includes/load.php on " +
		"line 651\n"
)

// A wrong setting is named, with what to do about it.
func TestDiagnosis(t *testing.T) {
	const plain = "http://shop.example.com"
	for _, tt := range []struct {
		name  string
		site  string // the shop's own address
		url   string // that is configured; "": the same
		shop  func(f *fakeShop)
		wrap  func(http.RoundTripper) http.RoundTripper
		pairs []string
		want  []string // in the message; none: all is well
		not   string
	}{
		{
			name: "plain permalinks, 404", site: fakeshop.URL, shop: func(f *fakeShop) { f.Bare = true },
			want: []string{"Settings > Permalinks", "try_files"},
		},
		{
			name: "plain permalinks behind nginx, the front page", site: fakeshop.URL,
			shop: func(f *fakeShop) { f.Bare, f.Nginx = true, true },
			want: []string{"Settings > Permalinks", "try_files"},
		},
		{
			name: "plain permalinks behind nginx, led to the front page", site: fakeshop.URL,
			shop: func(f *fakeShop) { f.Bare, f.Nginx, f.Leads = true, true, true }, want: []string{"Settings > " +
				"Permalinks"}, not: "redirects",
		},
		{
			name: "plain permalinks behind nginx, the API is hidden", site: fakeshop.URL,
			shop: func(f *fakeShop) { f.Bare, f.Nginx, f.Mute = true, true, true },
			want: []string{"Settings > Permalinks"},
		},
		{
			name: "plain permalinks behind nginx, led to the front page, the API is hidden", site: fakeshop.URL,
			shop: func(f *fakeShop) { f.Bare, f.Nginx, f.Leads, f.Mute = true, true, true, true },
			want: []string{"Settings > Permalinks"}, not: "redirects",
		},
		{
			name: "plain permalinks, 404, the API is hidden", site: fakeshop.URL,
			shop: func(f *fakeShop) { f.Bare, f.Mute = true, true },
			want: []string{"Settings > Permalinks"},
		},
		{
			name: "the API's addresses get a slash", site: fakeshop.URL,
			wrap: around(func(_ http.RoundTripper, req *http.Request) (*http.Response, error) {
				return page(req, 301, "Location", req.URL.Path+"/"), nil
			}),
			want: []string{"redirects the addresses of the shop's API"},
		},
		{
			name: "the API is led to the login page", site: fakeshop.URL, wrap: leading("/wp-login.php?redirect_to=x"),
			want: []string{"to the page " + fakeshop.URL + "/wp-login.php:", "log in", "let /wp-json/wc/v3 through"},
		},
		{
			name: "the API is led to another host's login page", site: fakeshop.URL,
			wrap: leading("https://sso.example.com/login"),
			want: []string{"to the page https://sso.example.com/login:", "log in"},
		},
		{
			name: "the API is led to another host", site: fakeshop.URL,
			wrap: leading("https://www.example.com/wp-json/wc/v3/products"),
			want: []string{"redirects to https://www.example.com:", "set PUBSYNC_WOOCOMMERCE_URL"}, not: "log in",
		},
		{
			name: "a wrong key over plain http", site: plain, pairs: []string{"KEY", "ck_other"},
			want: []string{"PUBSYNC_WOOCOMMERCE_KEY", "Consumer key is invalid"},
		},
		{
			name: "a wrong secret over plain http", site: plain, pairs: []string{"SECRET", "cs_other"},
			want: []string{"_SECRET", "Site Address", "Invalid signature"},
		},
		{
			name: "a read-only key over plain http", site: plain, shop: func(f *fakeShop) { f.ReadOnly = true },
			want: []string{"Read/Write"},
		},
		{
			name: "a key of a user who may not see products", site: fakeshop.URL,
			shop: func(f *fakeShop) { f.Powerless = true },
			want: []string{"shop manager", "PUBSYNC_WOOCOMMERCE_KEY"},
		},
		{
			name: "a key that is not known", site: fakeshop.URL, pairs: []string{"KEY", "ck_other"},
			want: []string{"does not know the key", "PUBSYNC_WOOCOMMERCE_KEY", "shop manager"},
		},
		{
			name: "plain http on the port for https", site: plain + ":443",
			wrap: around(func(_ http.RoundTripper, req *http.Request) (*http.Response, error) { return page(req, 400), nil }),
			want: []string{"PUBSYNC_WOOCOMMERCE_URL with https://"},
		},
		{
			name: "a bot check with 200", site: fakeshop.URL,
			wrap: around(func(_ http.RoundTripper, req *http.Request) (*http.Response, error) { return checked(req), nil }),
			want: []string{"bot check", "/wp-json/wc/v3", "user agent pubsync"}, not: "Permalinks",
		},
		{name: "in a folder", site: "https://example.com/shop"},
		{
			name: "in a folder that is not given", site: "https://example.com/shop", url: "https://example.com",
			want: []string{"no WordPress at the address", "the folder belongs to it"},
		},
		{name: "the API's address", site: fakeshop.URL, url: fakeshop.URL + "/wp-json/wc/v3/"},
		{name: "the API's address in a folder", site: fakeshop.URL + "/shop", url: fakeshop.URL + "/shop/wp-json/"},
		{name: "the back office's address", site: fakeshop.URL, url: fakeshop.URL + "/wp-admin/admin.php"},
		{name: "the login's address", site: fakeshop.URL, url: fakeshop.URL + "/wp-login.php"},
		{
			name: "notices before the data", site: fakeshop.URL, shop: func(f *fakeShop) { f.Notice = htmlNotice },
			want: []string{"WP_DEBUG_DISPLAY", "plugins/fancy-sizes", "Undefined index"},
		},
		{
			name: "notices in plain text", site: fakeshop.URL, shop: func(f *fakeShop) { f.Notice = textNotice },
			want: []string{"WP_DEBUG_DISPLAY", "get_magic_quotes"},
		},
		{
			name: "a text before the data", site: fakeshop.URL, shop: func(f *fakeShop) {
				f.Notice = "hello from my theme\n"
			},
			want: []string{"writes a text before its answers", "hello from my theme"},
		},
		{
			name: "notices and plain permalinks", site: fakeshop.URL, shop: func(f *fakeShop) {
				f.Bare, f.Notice = true,
					htmlNotice
			},
			want: []string{"Settings > Permalinks"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFakeShop(t)
			f.Base = tt.site
			if tt.shop != nil {
				tt.shop(f)
			}
			pairs := tt.pairs
			if tt.url != "" {
				pairs = append(pairs, "URL", tt.url)
			}
			_, err := f.connect(t, quickly(), tt.wrap, pairs...).Check(t.Context())
			if len(tt.want) == 0 {
				if err != nil {
					t.Error(err)
				}
				return
			}
			e := shopadapter.Explain(err)
			if e == nil || e.Kind != shopadapter.Blocked || !e.ShopWide {
				t.Fatalf("%+v is not blocked for every product", e)
			}
			for _, text := range tt.want {
				if !strings.Contains(e.Error(), text) {
					t.Errorf("got the message %s, want %q in it", e, text)
				}
			}
			if tt.not != "" && strings.Contains(e.Error(), tt.not) || strings.ContainsAny(e.Error(), "<\n") {
				t.Errorf("got the message %s, want one without %q and without markup", e, tt.not)
			}
		})
	}
}

// leading has every request of the API led to another address.
func leading(to string) func(http.RoundTripper) http.RoundTripper {
	return around(func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
		if strings.HasPrefix(req.URL.Path, "/wp-json") {
			return page(req, http.StatusFound, "Location", to), nil
		}
		return next.RoundTrip(req)
	})
}

// A clock that differs is named as such: the signature is right.
func TestDiagnosisOfTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeShop(t)
		f.Base = "http://shop.example.com"
		a := f.connect(t, quickly(), around(func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
			time.Sleep(20 * time.Minute) // as long on the way as the clocks differ
			return next.RoundTrip(req.Clone(t.Context()))
		}))
		_, err := a.Check(t.Context())
		e := shopadapter.Explain(err)
		if e == nil || !strings.Contains(e.Error(), "clock") {
			t.Errorf("got %v, want an error that tells of the clock", e)
		}
	})
}

// Text before the JSON makes a write doubtful, not refused: the shop has carried it out.
func TestNoticesBeforeAnAnswerToAWrite(t *testing.T) {
	f, a := opened(t)
	p := sample("noisy", 3)
	f.Notice = htmlNotice
	l, err := a.Publish(t.Context(), refOf(p), p, shopadapter.AllFields)
	if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Transient ||
		!strings.Contains(e.Error(), "WP_DEBUG_DISPLAY") {
		t.Errorf("got %v, want a transient error that names WP_DEBUG_DISPLAY", err)
	}
	f.Notice = ""
	ref := refOf(p)
	ref.Listing, ref.State = l.ID, l.State
	must(t, a, ref, p, shopadapter.AllFields)
	f.wantConsistent(t, p)
}

// Maintenance asks for a pause of ten minutes, even where it takes seconds.
func TestMaintenance(t *testing.T) {
	f := newFakeShop(t)
	f.Upkeep = true
	a := f.connect(t, quickly(), nil)
	p := sample("upkeep", 1)
	_, err := a.Publish(t.Context(), refOf(p), p, shopadapter.AllFields)
	_, checked := a.Check(t.Context())
	for _, err := range []error{err, checked} {
		if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Transient || !e.ShopWide ||
			e.RetryAfter != 10*time.Minute ||
			!strings.Contains(e.Error(), "maintenance") {
			t.Errorf("got %+v, want maintenance that takes ten minutes", e)
		}
	}
	f.Upkeep = false
	must(t, a, refOf(p), p, shopadapter.AllFields)
}

// checked is a bot check, as Cloudflare answers.
func checked(req *http.Request) *http.Response {
	resp := page(req, http.StatusOK)
	resp.Body = io.NopCloser(strings.NewReader("<!DOCTYPE html><html><head><title>Just a moment...</title>" +
		`<script src="/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1"></script></head><body></body></html>`))
	resp.ContentLength = -1
	return resp
}

// What a look meets says the same as the check of the shop: a bot check that comes up later.
func TestABotCheckThatComesLater(t *testing.T) {
	f := newFakeShop(t)
	on := false
	a := f.connect(t, quickly(), around(func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
		if on {
			return checked(req), nil
		}
		return next.RoundTrip(req)
	}))
	p := sample("checked", 1)
	ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
	on = true
	_, err := a.Publish(t.Context(), ref, p, shopadapter.FieldTitle)
	_, checked := a.Check(t.Context())
	got, want := shopadapter.Explain(err), shopadapter.Explain(checked)
	if got.Message != want.Message {
		t.Errorf("a look says %s, want %s", got.Message, want.Message)
	}
	if !got.ShopWide {
		t.Error("it stops one product, want every one")
	}
}
