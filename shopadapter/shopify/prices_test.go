package shopify_test

import (
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// paid is what a customer pays at the checkout for what has a price.
func (f *fakeShop) paid(price string) string {
	d, err := decimal.NewFromString(price)
	if err != nil || !f.taxesOnTop {
		return price
	}
	return d.Mul(decimal.RequireFromString("1.21")).StringFixed(2)
}

// A store whose prices do not include taxes is given the nearest price without them.
func TestNetPrices(t *testing.T) {
	for _, tt := range []struct {
		name       string
		taxesOnTop bool
		setting    string
		price      string
		paid       string
	}{
		{"with tax", false, "auto", "20.02", "20.02"},
		{"without tax", true, "auto", "24.20", "24.20"},
		{"without tax, an odd one", true, "auto", "19.95", "19.95"},
		{"without tax, and no two decimals show it", true, "auto", "20.02", "20.03"},
		{"without tax, written gross", true, "gross", "20.02", "24.22"},
		{"without tax, written net", true, "net", "24.20", "24.20"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fake := newFakeShop(t)
			fake.taxesOnTop, fake.vat = tt.taxesOnTop, "21"
			a := fake.open(t, "PRICES", tt.setting)
			p := laws.Sample("p", 2)
			paid := func() string { return fake.paid(fake.sole(t).variants[0].price) }
			p.Variants[0].Price = tt.price
			ref, _ := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
			if got := paid(); got != tt.paid {
				t.Errorf("a customer pays %s, want %s", got, tt.paid)
			}
			is, err := a.Check(t.Context())
			if err != nil || is.Prices.Shown(is.Prices.Enter(tt.price)) != tt.paid && tt.setting == "auto" {
				t.Errorf("prices are told as %+v, %v", is.Prices, err)
			}
			told := observe(t, a, shopadapter.Query{})[p.ID].Variants[0].Price
			if tt.setting != "gross" && told != tt.paid || !is.Prices.Alike(told, tt.price) {
				t.Errorf("of %s is told %s, want %s", tt.price, told, tt.paid)
			}
			for _, price := range []string{"9.99", tt.price} {
				p.Variants[0].Price = price
				restock(t, a, ref, p, shopadapter.FieldPrice)
			}
			if got := paid(); got != tt.paid {
				t.Errorf("figures alone: a customer pays %s, want %s", got, tt.paid)
			}
		})
	}
}

// Without a VAT percentage nothing is written to a store that adds tax, and the message says what
// to set.
func TestNetPricesWithoutVAT(t *testing.T) {
	fake := newFakeShop(t)
	fake.taxesOnTop = true
	a := fake.open(t)
	p := laws.Sample("p", 1)
	_, published := a.Publish(t.Context(), shopadapter.Ref{Publication: p.ID}, p, shopadapter.AllFields)
	_, checked := a.Check(t.Context())
	for name, err := range map[string]error{"Publish": published, "Check": checked} {
		e := shopadapter.Explain(err)
		if e == nil || e.Kind != shopadapter.Blocked || !e.ShopWide ||
			!strings.Contains(e.Error(), "PUBSYNC_SHOP_PRICES=gross") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(fake.products) > 0 {
		t.Errorf("%d products were made", len(fake.products))
	}
}
