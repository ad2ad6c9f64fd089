package shopadapter_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

func TestPrices(t *testing.T) {
	for _, tt := range []struct {
		vat            string
		places         int
		price          string
		entered, shown string
	}{
		{"", 0, "20.02", "20.02", "20.02"},
		{"", 0, "20", "20", "20.00"},
		{"", 0, "20.025", "20.025", "20.025"},
		{"21", 6, "20.02", "16.545455", "20.02"},
		{"21", 6, "24.20", "20.00", "24.20"},
		{"21", 6, "0.01", "0.008264", "0.01"},
		{"8.1", 6, "20.02", "18.519889", "20.02"},
		{"21", 2, "20.02", "16.55", "20.03"}, // 16.54 is 20.01
		{"21", 2, "19.95", "16.49", "19.95"},
		{"21", 3, "20.02", "16.545", "20.02"},
		{"21", 6, "free", "free", "free"},
	} {
		p := shopadapter.Prices{VAT: tt.vat, Places: tt.places}
		got := p.Enter(tt.price)
		if shown := p.Shown(got); got != tt.entered || shown != tt.shown {
			t.Errorf("%s with %q %% VAT and %d decimals is entered as %s and shown as %s, want %s and %s",
				tt.price, tt.vat, tt.places, got, shown, tt.entered, tt.shown)
		}
	}
}

// Where visitors are shown whole amounts a price is rounded up, so that what they pay is what the
// price rules ask at least. One that somebody typed below counts as what is shown of it.
func TestWholePrices(t *testing.T) {
	for _, tt := range []struct{ vat, price, entered, shown string }{
		{"", "20.02", "21.00", "21.00"},
		{"", "20.00", "20.00", "20.00"},
		{"21", "20.02", "17.355372", "21.00"},
	} {
		p := shopadapter.Prices{VAT: tt.vat, Places: 6, Whole: true}
		if got, shown := p.Enter(tt.price), p.Shown(p.Enter(tt.price)); got != tt.entered || shown != tt.shown {
			t.Errorf("%s is entered as %s and shown as %s, want %s and %s", tt.price, got, shown, tt.entered, tt.shown)
		}
		if !p.Alike(tt.price, tt.shown) {
			t.Errorf("%s is not alike %s, as which it is shown", tt.price, tt.shown)
		}
	}
	p := shopadapter.Prices{Whole: true}
	if p.Alike("20.02", p.Shown("20.02")) {
		t.Error("a price that is shown below itself counts as written")
	}
}

// Of a price that was written the shop shows one that is alike, and a cent more or less of what it
// takes is another.
func TestAlike(t *testing.T) {
	for _, vat := range []string{"", "5.5", "19", "21", "99.9"} {
		p := shopadapter.Prices{VAT: vat, Places: 2}
		for cents := 2; cents < 30000; cents += 7 {
			price := cent(cents)
			if shown := p.Shown(p.Enter(price)); !p.Alike(price, shown) {
				t.Fatalf("with %q %% VAT %s, entered as %s, is not alike %s", vat, price, p.Enter(price), shown)
			}
			if other := p.Shown(p.Enter(cent(2 * cents))); p.Alike(price, other) {
				t.Fatalf("with %q %% VAT %s is alike %s", vat, price, other)
			}
		}
	}
}

// Six decimals show every price that has two, whatever the VAT.
func TestEveryPriceIsShown(t *testing.T) {
	for _, vat := range []string{"5", "5.5", "7.7", "17", "19", "20", "21", "27", "99.9"} {
		p := shopadapter.Prices{VAT: vat, Places: 6}
		for cents := 1; cents < 30000; cents += 7 {
			price := cent(cents)
			if shown := p.Shown(p.Enter(price)); shown != price {
				t.Fatalf("with %s %% VAT, entered as %s: got %s, want %s", vat, p.Enter(price), shown, price)
			}
		}
	}
}

func cent(n int) string {
	digits := []byte{byte('0' + n/10%10), byte('0' + n%10)}
	whole := ""
	for n /= 100; n > 0 || whole == ""; n /= 10 {
		whole = string(rune('0'+n%10)) + whole
	}
	return whole + "." + string(digits)
}

func TestChoosePrices(t *testing.T) {
	yes, no := true, false
	for _, tt := range []struct {
		setting, vat string
		included     *bool
		net, noted   bool
		says         string // "": it is taken
	}{
		{"auto", "21.0", nil, false, false, ""},
		{"auto", "21.0", &yes, false, false, ""},
		{"auto", "21.0", &no, true, false, ""},
		{"auto", "", &no, false, false, "PUBSYNC_PRICE_VAT_PERCENT is not set"},
		{"auto", "0.00", &no, false, false, "set PUBSYNC_SHOP_PRICES=gross"},
		{"auto", "", &yes, false, false, ""},
		{"gross", "21.0", &no, false, true, ""},
		{"gross", "", &yes, false, false, ""},
		{"gross", "", nil, false, false, ""},
		{"net", "21.0", nil, true, false, ""},
		{"net", "21.0", &no, true, false, ""},
		{"net", "21.0", &yes, false, false, "prices include tax in this shop"},
		{"net", "0", nil, false, false, "PUBSYNC_PRICE_VAT_PERCENT is not set"},
	} {
		name := fmt.Sprintf("%s with %q %% where tax is included %v", tt.setting, tt.vat, tt.included)
		got, err := shopadapter.ChoosePrices("my-shop", shopadapter.PricesMode(tt.setting), tt.vat, 6, tt.included)
		if tt.says != "" {
			e := shopadapter.Explain(err)
			if e == nil || e.Kind != shopadapter.Blocked || !e.ShopWide || !strings.Contains(e.Error(), tt.says) {
				t.Errorf("%s: got %v, want an error that says %q", name, err, tt.says)
			}
			continue
		}
		want := shopadapter.Prices{Note: got.Note}
		if tt.net {
			want = shopadapter.Prices{VAT: "21", Places: 6}
		}
		if err != nil || got != want || (got.Note != "") != tt.noted {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, err, want)
		}
	}
}

// A product that is entered net is a copy: its caller keeps the prices that it has.
func TestProductInNetPrices(t *testing.T) {
	p := shopadapter.Product{Variants: []shopadapter.Variant{{ID: "v", Price: "12.10"}}}
	prices := shopadapter.Prices{VAT: "21", Places: 6}
	if got := prices.Product(p).Variants[0].Price; got != "10.00" {
		t.Errorf("entered as %s, want 10.00", got)
	}
	if got := p.Variants[0].Price; got != "12.10" {
		t.Errorf("the caller's price is %s, want 12.10", got)
	}
}
