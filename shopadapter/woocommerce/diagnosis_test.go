package woocommerce

import (
	"cmp"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/fakeshop"
)

const (
	htmlNotice = "<br />\n<b>Notice</b>:  Undefined index: {size} in " +
		"<b>/var/www/html/wp-content/plugins/fancy-sizes/fancy.php</b> on line <b>12</b><br />\n"
	upgrade = "update WooCommerce to 9.6 or later"
)

// answering is an answer in the shop's place to every request of a path that ends so.
func answering(end string, status int, text string, header ...string) func(http.RoundTripper) http.RoundTripper {
	return around(func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
		if !strings.HasSuffix(req.URL.Path, end) {
			return next.RoundTrip(req)
		}
		resp := page(req, status, header...)
		if text != "" {
			resp.Body = body(text)
		}
		return resp, nil
	})
}

// Each fault between the connector and a shop has a sentence of its own, which says what to do.
func TestDiagnosis(t *testing.T) {
	const plain = "http://shop.example.com"
	bare := func(f *fakeShop) { f.Bare = true }
	for _, tt := range []struct {
		name  string
		site  string // the shop's own address; "": fakeshop.URL
		url   string // that is configured; "": the same
		shop  func(f *fakeShop)
		wrap  func(http.RoundTripper) http.RoundTripper
		pairs []string
		want  string // in the message, for each part between bars; "": all is well
	}{
		{name: "all is well"},
		{name: "in a folder", site: "https://example.com/shop"},
		{name: "the back office's address", url: fakeshop.URL + "/wp-admin", want: "the shop's front page"},
		{name: "plain permalinks, 404", shop: bare, want: "Settings > Permalinks|try_files"},
		{
			name: "plain permalinks behind nginx, the front page", shop: func(f *fakeShop) { f.Bare, f.Nginx = true, true },
			want: "Settings > Permalinks|try_files",
		},
		{
			name: "plain permalinks behind nginx, led to the front page",
			shop: func(f *fakeShop) { f.Bare, f.Nginx, f.Leads = true, true, true }, want: "Settings > Permalinks",
		},
		{
			name: "notices and plain permalinks", shop: func(f *fakeShop) { f.Bare, f.Notice = true, htmlNotice },
			want: "Settings > Permalinks",
		},
		{name: "no WooCommerce", shop: func(f *fakeShop) { f.Without = true }, want: "install and activate WooCommerce"},
		{
			name: "before WooCommerce 9.6", want: upgrade,
			wrap: answering("/products/brands", 404, `{"code":"rest_no_route","message":"No route was found"}`),
		},
		{name: "no WordPress", shop: func(f *fakeShop) { f.Foreign = true }, want: "PUBSYNC_WOOCOMMERCE_URL"},
		{
			name: "in a folder that is not given", site: "https://example.com/shop", url: "https://example.com",
			want: "PUBSYNC_WOOCOMMERCE_URL|the folder belongs to it",
		},
		{name: "closed by a plugin", shop: func(f *fakeShop) { f.Blocked = true }, want: "security plugin"},
		{name: "closed by a firewall", shop: func(f *fakeShop) { f.Firewall = true }, want: "a firewall"},
		{name: "a bot check with 200", wrap: answering("", 200, botPage), want: "bot check|" + root + "|user agent pubsync"},
		{
			name: "the API's addresses get a slash", wrap: answering("", 301, "", "Location", "/wp-json/wc/v3/products/"),
			want: "to «/wp-json/wc/v3/products/»|passes addresses on",
		},
		{
			name: "led to the login page", wrap: answering("", 302, "", "Location", "/wp-login.php?redirect_to=x"),
			want: "to «/wp-login.php»|log in|let what lies below /wp-json/wc/v3 through",
		},
		{
			name: "led to another host", want: "to «https://www.example.com/wp-json/wc/v3/products»|set PUBSYNC_WOOCOMMERCE_URL",
			wrap: answering("", 301, "", "Location", "https://www.example.com/wp-json/wc/v3/products?oauth=x"),
		},
		{name: "an unknown key", pairs: []string{"KEY", "ck_other"}, want: "does not know the key|_KEY|shop manager"},
		{name: "a wrong secret", pairs: []string{"SECRET", "cs_other"}, want: "_SECRET"},
		{name: "a read-only key", shop: func(f *fakeShop) { f.ReadOnly = true }, want: "Read/Write"},
		{
			name: "an unknown key over plain http", site: plain, pairs: []string{"KEY", "ck_other"},
			want: "PUBSYNC_WOOCOMMERCE_KEY|Consumer key is invalid",
		},
		{
			name: "a read-only key over plain http", site: plain, shop: func(f *fakeShop) { f.ReadOnly = true },
			want: "Read/Write|does not have write permissions",
		},
		{name: "PUT not let through", wrap: answering("", 405, ""), want: "does not let this kind of request through"},
		{
			name: "notices before the data", shop: func(f *fakeShop) { f.Notice = htmlNotice },
			want: "WP_DEBUG_DISPLAY|plugins/fancy-sizes|Undefined index",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFakeShop(t)
			f.Base = cmp.Or(tt.site, fakeshop.URL)
			if tt.shop != nil {
				tt.shop(f)
			}
			pairs := append(tt.pairs, "URL", cmp.Or(tt.url, f.Base))
			_, err := f.connect(t, quickly(), tt.wrap, pairs...).Check(t.Context())
			if tt.want == "" && err == nil {
				return
			}
			e := shopadapter.Explain(err)
			if e == nil || e.Kind != shopadapter.Blocked || !e.ShopWide || strings.ContainsAny(e.Error(), "<\n") {
				t.Fatalf("%+v is not blocked for every product, in words without markup", e)
			}
			for part := range strings.SplitSeq(tt.want, "|") {
				if !strings.Contains(e.Error(), part) {
					t.Errorf("got the message %s, want %q in it", e, part)
				}
			}
		})
	}
}

const botPage = `<!DOCTYPE html><html><head><title>Just a moment...</title></head><body></body></html>`

// Who can mend it, for each answer to a creation.
func TestKinds(t *testing.T) {
	for _, tt := range []struct {
		name     string
		status   int
		body     string
		header   []string
		kind     shopadapter.Kind
		shopWide bool
		after    time.Duration
		says     string
	}{
		{
			name: "a parameter", status: 400, kind: shopadapter.Rejected, says: "too long",
			body: `{"code":"rest_invalid_param","message":"Invalid parameter(s): name","data":{"params":{"name":"too long"}}}`,
		},
		{name: "data that is a list", status: 400, body: `{"code":"x","message":"no","data":[]}`, kind: shopadapter.Rejected},
		{name: "400 from a proxy", status: 400},
		{name: "too large", status: 413, kind: shopadapter.Rejected},
		{name: "429", status: 429, header: []string{"Retry-After", "7"}, shopWide: true, after: 7 * time.Second},
		{name: "503", status: 503, shopWide: true, says: "asks for a pause"},
		{
			name: "maintenance", status: 503, header: []string{"Retry-After", "600"}, shopWide: true, after: 10 * time.Minute,
			says: "maintenance",
		},
		{name: "500", status: 500, body: `{"code":"internal_server_error","message":"<p>There has been an error</p>"}`},
		{name: "504", status: 504},
		{
			name: "401", status: 401, body: `{"code":"woocommerce_rest_cannot_create","message":"Sorry"}`,
			kind: shopadapter.Blocked, shopWide: true,
		},
		{
			name: "no route", status: 404, body: `{"code":"rest_no_route","message":"No route"}`, kind: shopadapter.Blocked,
			shopWide: true,
		},
		{name: "404 page", status: 404, kind: shopadapter.Blocked, shopWide: true},
		{name: "a bot check", status: 200, body: botPage, kind: shopadapter.Blocked, shopWide: true, says: "bot check"},
		{name: "a page", status: 200, says: "a web page in place of data"},
		{name: "201 without an id", status: 201, body: `{}`},
		// it makes the write doubtful, not refused
		{name: "201 with a notice before it", status: 201, body: htmlNotice + `{"id":1}`, says: "WP_DEBUG_DISPLAY"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFakeShop(t)
			a := f.connect(t, quickly(), around(func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
				if req.Method != http.MethodPost {
					return next.RoundTrip(req)
				}
				resp := page(req, tt.status, tt.header...)
				if tt.body != "" {
					resp.Body = body(tt.body)
				}
				return resp, nil
			}))
			p := sample("kinds", 1)
			_, err := a.Publish(t.Context(), refOf(p), p, shopadapter.AllFields)
			e := shopadapter.Explain(err)
			if e == nil || e.Kind != tt.kind || e.ShopWide != tt.shopWide || e.RetryAfter != tt.after ||
				strings.Contains(e.Error(), "<") || !strings.Contains(e.Error(), tt.says) {
				t.Errorf("got %+v, want %s, for every product: %t, after %s, with %q", e, tt.kind, tt.shopWide, tt.after, tt.says)
			}
		})
	}
}

// A firewall, or a bot check, that takes offence at the words of one product does not stop the shop.
func TestFirewallAgainstOneProduct(t *testing.T) {
	for _, all := range []bool{false, true} {
		for status, text := range map[int]string{403: "<html>", 404: botPage, 200: botPage} {
			f := newFakeShop(t)
			a := f.connect(t, quickly(), around(func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
				if req.Method == http.MethodPost && (all || req.ContentLength > 10) {
					resp := page(req, status)
					resp.Body = body(text)
					return resp, nil
				}
				return next.RoundTrip(req)
			}))
			p := sample("words", 1)
			_, err := a.Publish(t.Context(), refOf(p), p, shopadapter.AllFields)
			if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Blocked || e.ShopWide != all ||
				strings.Contains(e.Error(), "lets others through") == all {
				t.Errorf("%d: got %+v, want what blocks every product: %t", status, e, all)
			}
		}
	}
}

// Where WooCommerce shows visitors a placeholder, the check passes, since products can be written,
// and the warning says what to do.
func TestComingSoon(t *testing.T) {
	for _, tt := range []struct {
		name, soon string
		product    bool // is on sale
		want       string
	}{
		{"a shop that is live", "", true, ""},
		{"a shop that is live and empty", "", false, ""},
		{"the whole site", "site", true, "Site visibility"},
		{"the whole site, and nothing on sale", "site", false, "Site visibility"},
		{"the shop's pages alone", "store", true, "Site visibility"},
		{"the shop's pages alone, and nothing on sale", "store", false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, a := opened(t)
			if tt.product {
				p := sample("soon", 1)
				must(t, a, refOf(p), p, shopadapter.AllFields)
			}
			f.Soon = tt.soon
			is, err := a.Check(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if (is.Warning == "") != (tt.want == "") || !strings.Contains(is.Warning, tt.want) {
				t.Errorf("got the warning %q, want %q in it", is.Warning, tt.want)
			}
		})
	}
}
