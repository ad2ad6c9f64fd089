package woocommerce

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

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

// What the shop says anew holds from the next write on, also for figures alone. A sale that the
// merchant runs stays.
func TestTaxSettingsThatChange(t *testing.T) {
	for _, variants := range []int{1, 3} {
		f := newFakeShop(t)
		f.Taxes, f.VAT = true, "21"
		a := f.connect(t, quickly(), nil)
		p := sample("priced", variants)
		p.Variants[0].Price = "20.02"
		ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
		ref.OnSale = true
		for _, id := range l.ShopIDs() {
			f.Find(shopadapter.ListingID(id)).Sale = "9.99"
		}
		for _, exclude := range []bool{true, false} {
			f.Exclude = exclude
			if _, err := a.shop.Get(t.Context(), true); err != nil {
				t.Fatal(err)
			}
			l, err := a.Publish(t.Context(), ref, p.OnlyFigures(), shopadapter.FieldPrice)
			if err != nil {
				t.Fatal(err)
			}
			ref.State = l.State
			if broken := f.inconsistent(p); broken != "" {
				t.Errorf("%d variants, prices without tax %t: %s", variants, exclude, broken)
			}
			for _, id := range l.ShopIDs() {
				if got := f.Find(shopadapter.ListingID(id)).Sale; got != "9.99" {
					t.Errorf("the merchant's sale price is %q, want 9.99", got)
				}
			}
		}
	}
}

// A shop that does not answer the question writes nothing: it is asked again.
func TestTaxSettingsThatCannotBeRead(t *testing.T) {
	for _, text := range []string{`<html>`, `{"value":"perhaps"}`, `{}`} {
		f := newFakeShop(t)
		a := f.connect(t, quickly(), around(func(next http.RoundTripper, req *http.Request) (*http.Response, error) {
			if !strings.Contains(req.URL.Path, "/settings/") {
				return next.RoundTrip(req)
			}
			resp := page(req, http.StatusOK)
			resp.Body = body(text)
			return resp, nil
		}))
		p := sample("priced", 1)
		_, err := a.Publish(t.Context(), refOf(p), p, shopadapter.AllFields)
		if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Transient || len(f.Posts) > 0 {
			t.Errorf("%s: got %v and %d posts, want a transient error and none", text, err, len(f.Posts))
		}
	}
}
