package woocommerce

import (
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

func body(text string) io.ReadCloser { return io.NopCloser(strings.NewReader(text)) }

func TestSettings(t *testing.T) {
	good := map[string]string{"URL": "https://shop.example.com", "KEY": "ck_x", "SECRET": "cs_x"}
	for _, tt := range []struct {
		name  string
		pairs []string
		want  string // of the error, "" for none
	}{
		{"the least", nil, ""},
		{"all", []string{"ADOPT", "sku", "CATEGORIES", "A_B=Garden/Tools; C=Other"}, ""},
		{"no key", []string{"KEY", ""}, "PUBSYNC_WOOCOMMERCE_KEY: is required"},
		{"a mapping without a target", []string{"CATEGORIES", "A"}, "PUBSYNC_WOOCOMMERCE_CATEGORIES: must"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set := maps.Clone(good)
			for i := 0; i+1 < len(tt.pairs); i += 2 {
				set[tt.pairs[i]] = tt.pairs[i+1]
			}
			a, err := shopadapter.Open(Name, shopadapter.Options{Settings: set})
			if tt.want == "" && (err != nil || a == nil) ||
				tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got the error %v, want %q", err, tt.want)
			}
		})
	}
}

// The vector was computed by hand from RFC 5849, section 3.4.1, with the values given here.
func TestSignatureBase(t *testing.T) {
	query := url.Values{"sku": {"UNI-ü/1, a"}, "per_page": {"100"}, "oauth_nonce": {"n"}, "discount": {"50%25"}}
	const want = "GET&http%3A%2F%2F127.0.0.1%3A8090%2Fwp-json%2Fwc%2Fv3%2Fproducts&" +
		"discount%3D50%252525%26oauth_nonce%3Dn%26per_page%3D100%26sku%3DUNI-%25C3%25BC%252F1%252C%2520a"
	if got := signatureBase("GET", "http://127.0.0.1:8090/wp-json/wc/v3/products", query); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	got := signed("GET", "http://a.example/x", url.Values{"a": {"1"}}, "ck", "cs")
	if got.Get("oauth_signature") == "" || got.Get("oauth_consumer_key") != "ck" || got.Get("a") != "1" ||
		len(got["oauth_signature"]) != 1 {
		t.Errorf("the query is %v, want one signature, the key and the parameter", got)
	}
}

// The shop's own currency is told as its settings hold it. A key that may not see them, and a shop
// without the route, say nothing.
func TestCurrency(t *testing.T) {
	for _, tt := range []struct {
		name, currency string // of the shop; "": not to be seen
		status         int    // of another answer
		text           string
		want           string
		failed         bool
	}{
		{name: "as it is", currency: "USD", want: "USD"},
		{name: "not to be seen"},
		{name: "no such route", status: 404, text: `{"code":"rest_no_route","message":"No route was found."}`},
		{name: "another text", status: 200, text: `[{"id":"woocommerce_currency","value":"GET / HTTP/1.1"}]`, failed: true},
		{name: "a page", status: 200, text: `<html>`, failed: true},
		{name: "a broken shop", status: 500, text: `{"code":"internal_server_error","message":"error"}`, failed: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFakeShop(t)
			f.Currency = tt.currency
			wrap := answering("/settings/general", tt.status, tt.text)
			if tt.status == 0 {
				wrap = nil
			}
			is, err := f.connect(t, quickly(), wrap).readSettings(t.Context())
			if is.currency != tt.want || (err != nil) != tt.failed {
				t.Errorf("the currency is %q, %v, want %q, an error: %t", is.currency, err, tt.want, tt.failed)
			}
		})
	}
}

// Prices are net only where the shop calculates taxes and is given prices without them, unless the
// setting says it.
func TestHowPricesAreEntered(t *testing.T) {
	for _, tt := range []struct {
		name           string
		taxes, exclude bool
		unseen         bool
		whole          bool // the shop shows no decimals
		setting, vat   string
		entered, shown string // of 20.02
	}{
		{"a stock install", false, true, false, false, "auto", "21", "20.02", "20.02"},
		{"taxes in the price", true, false, false, false, "auto", "21", "20.02", "20.02"},
		{"taxes on top", true, true, false, false, "auto", "21", "16.545455", "20.02"},
		{"taxes on top, written gross", true, true, false, false, "gross", "21", "20.02", "24.22"},
		{"no taxes, written net", false, true, false, false, "net", "21", "16.545455", "16.545455"},
		{"no decimals", false, true, false, true, "auto", "21", "21.00", "21"},
		{"no decimals, taxes on top", true, true, false, true, "auto", "21", "17.355372", "21"},
		{"a key that may not see it", true, true, true, false, "auto", "21", "20.02", "24.22"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFakeShop(t)
			f.Taxes, f.Exclude, f.VAT = tt.taxes, tt.exclude, tt.vat
			if tt.unseen {
				f.Currency = ""
			}
			if tt.whole {
				f.Decimals = "0"
			}
			a := f.connect(t, quickly(), nil, "PRICES", tt.setting)
			p := sample("priced", 1)
			p.Variants[0].Price = "20.02"
			_, l := must(t, a, refOf(p), p, shopadapter.AllFields)
			if got := f.Find(l.ID).Price; got != tt.entered {
				t.Errorf("20.02 is entered as %s, want %s", got, tt.entered)
			}
			if got := f.seen(t, p.ID).Variants[0].Price; got != tt.shown {
				t.Errorf("20.02 is shown as %s, want %s", got, tt.shown)
			}
			shop, err := a.shop.Get(t.Context(), true)
			if err != nil || (shop.prices.Note != "") != (tt.unseen || tt.setting != "auto") {
				t.Errorf("the note is %q, %v, want one: %t", shop.prices.Note, err, tt.unseen || tt.setting != "auto")
			}
		})
	}
}

// A start and a comparison ask the shop for its settings once, and all of its brands with one request.
func TestAnIdleRun(t *testing.T) {
	f, a := opened(t)
	f.Taxes = true
	p := sample("idle", 3)
	ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
	f.Requests()
	a = f.connect(t, quickly(), nil)
	if _, err := a.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	observed(t, a, shopadapter.Query{})
	f.wantRequests(t, "a start and a comparison", "GET /products", "POST /products/batch", "GET /settings/general",
		"GET /settings/tax", "GET /settings/products", "GET /products/brands", "GET /product/"+f.Find(ref.Listing).Slug+"/",
		"GET /products", "GET /variations")
}

// Whatever decides how products are written makes another digest: units, and how categories are found.
func TestWritten(t *testing.T) {
	f := newFakeShop(t)
	digest := func(pairs ...string) string {
		is, err := f.connect(t, quickly(), nil, pairs...).Check(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return is.Written
	}
	first, again := digest(), digest()
	all := []string{first, digest("CATEGORIES", "A=B"), digest("CATEGORIES", "A=C"), digest("MISSING_CATEGORIES", "warn")}
	f.WeightUnit = "kg"
	all = append(all, digest())
	f.DimensionUnit = "cm"
	all = append(all, digest())
	if slices.Sort(all); len(slices.Compact(slices.Clone(all))) != len(all) || first != again {
		t.Errorf("got %q, want six that differ, and the same of the same shop", all)
	}
}

// Without a VAT percentage nothing is written to a shop that adds tax, and the message says what to
// set.
func TestNetPricesWithoutVAT(t *testing.T) {
	f := newFakeShop(t)
	f.Taxes, f.Exclude = true, true
	a := f.connect(t, quickly(), nil)
	p := sample("priced", 2)
	_, published := a.Publish(t.Context(), refOf(p), p, shopadapter.AllFields)
	_, checked := a.Check(t.Context())
	for name, err := range map[string]error{"Publish": published, "Check": checked} {
		e := shopadapter.Explain(err)
		if e == nil || e.Kind != shopadapter.Blocked || !e.ShopWide ||
			!strings.Contains(e.Error(), "PUBSYNC_PRICE_VAT_PERCENT") ||
			!strings.Contains(e.Error(), "PUBSYNC_SHOP_PRICES=gross") {
			t.Errorf("%s: got %v, want an error that names both settings", name, err)
		}
	}
	if len(f.Posts) > 0 {
		t.Errorf("%d posts were made, want none", len(f.Posts))
	}
}

// A shop that does not answer the question for its taxes writes nothing: it is asked again.
func TestTaxSettingsThatCannotBeRead(t *testing.T) {
	for _, text := range []string{`<html>`, `[{"id":"woocommerce_prices_include_tax","value":"perhaps"}]`, `[]`} {
		f := newFakeShop(t)
		f.Taxes = true
		a := f.connect(t, quickly(), answering("/settings/tax", http.StatusOK, text))
		p := sample("priced", 1)
		_, err := a.Publish(t.Context(), refOf(p), p, shopadapter.AllFields)
		if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Transient || len(f.Posts) > 0 {
			t.Errorf("%s: got %v and %d posts, want a transient error and none", text, err, len(f.Posts))
		}
	}
}

// Sizes are written in the shop's units. Where it does not tell them they are left out.
func TestUnits(t *testing.T) {
	for _, tt := range []struct {
		name, currency, weight, length, seenWeight, seenLength string
		told                                                   bool
	}{
		{"a stock install", "EUR", "lbs", "in", "2.3149", "8.0709", false},
		{"metric", "EUR", "kg", "cm", "1.05", "20.5", false},
		{"a unit that is not known", "EUR", "stone", "in", "", "", true},
		{"a key that may not see the settings", "", "kg", "cm", "", "", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, log := logged(t)
			f.Currency, f.WeightUnit, f.DimensionUnit = tt.currency, tt.weight, tt.length
			p := laws.WithDetails(sample("lamp", 1), 0)
			_, l := must(t, f.connect(t, quickly(), nil), refOf(p), p, shopadapter.AllFields)
			if got := f.Find(l.ID).Weight; got != tt.seenWeight {
				t.Errorf("weight: got %q, want %q", got, tt.seenWeight)
			}
			if got := f.Find(l.ID).Dimensions["length"]; got != tt.seenLength {
				t.Errorf("length: got %q, want %q", got, tt.seenLength)
			}
			if told := strings.Contains(log.String(), "units"); told != tt.told {
				t.Errorf("told: got %t, want %t:\n%s", told, tt.told, log)
			}
		})
	}
}

// A text that WordPress, its editor or a plugin has written in another way is the same text.
func TestHash(t *testing.T) {
	for _, tt := range []struct {
		name string
		a, b string
		same bool
	}{
		{"escaped", "<p>Tom & Jerry's</p>", "<p>Tom &amp; Jerry&#039;s</p>", true},
		{"paragraphs by the editor", "<p>One.</p><p>Two.</p>", "One.\r\n\r\nTwo.", true},
		{"paragraphs as shown", "<p>One.</p>\n<p>Two.</p>", "<p>One.</p><p>Two.</p>\n", true},
		{"bold by the editor", "<p><b>One</b></p>", "<strong>One</strong>", true},
		{"lists spread out", "<ul><li>a</li><li>b</li></ul>", "<ul>\n\t<li>a</li>\n\t<li>b</li>\n</ul>\n", true},
		{
			"a list after a paragraph", "<p>One.</p><ul><li>a</li></ul><p>Two.</p>", "One.\n<ul>\n<li>a</li>\n</ul>\nTwo.",
			true,
		},
		{
			"a link's attributes", `<a href="https://x.example/?a=1&amp;b=2" rel="nofollow">x</a>`,
			`<a href="https://x.example/?a=1&b=2">x</a>`, true,
		},
		{"a hard space", "a b", "a&nbsp;b", true},
		{"another word", "<p>One.</p>", "<p>Won.</p>", false},
		{"another target", `<a href="https://x.example/">x</a>`, `<a href="https://y.example/">x</a>`, false},
		{"a new paragraph", "<p>One. Two.</p>", "<p>One.</p><p>Two.</p>", true},
		{"a word made bold", "<p>One two</p>", "<p>One <b>two</b></p>", false},
		{"a heading", "<h2>One</h2><p>Two</p>", "<p>One</p><p>Two</p>", false},
		{"emptied", "<p>One.</p>", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if same := hashDescription(tt.a) == hashDescription(tt.b); same != tt.same {
				t.Errorf("the same: %t, want %t", same, tt.same)
			}
		})
	}
	if got, want := hashTitle(escapeTitle(`A & <b> "c" \n`)), hashTitle(`A &amp; &lt;b&gt;  "c" &#092;n `); got != want {
		t.Errorf("a title has the hash %v, want %v, as the shop shows it", got, want)
	}
	if hashTitle("A") == hashTitle("a") {
		t.Error("A and a have the same hash, want two: an edit of case is one")
	}
}
