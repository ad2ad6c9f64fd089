package shopify_test

import (
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

// A store whose prices do not include taxes is given the nearest price without them, which is not
// always one that shows the price to the cent.
func TestNetPrices(t *testing.T) {
	for _, tt := range []struct {
		name       string
		taxesOnTop bool
		setting    string
		price      string
		paid       string
	}{
		{"with tax", false, "auto", "20.02", "20.02"},
		{"without tax", true, "auto", "19.95", "19.95"},
		{"without tax, and no two decimals show it", true, "auto", "20.02", "20.03"},
		{"without tax, written gross", true, "gross", "20.02", "24.22"},
		{"without tax, written net", true, "net", "24.20", "24.20"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fake := newFakeShop(t)
			fake.taxesOnTop, fake.vat = tt.taxesOnTop, "21"
			a, p := fake.open(t, "PRICES", tt.setting), laws.Sample("p", 2)
			ref, _ := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
			p.Variants[0].Price = tt.price
			if _, err := a.Publish(t.Context(), ref, p.OnlyFigures(), shopadapter.FieldPrice); err != nil {
				t.Fatal(err)
			}
			is, err := a.Check(t.Context())
			told := observe(t, a, shopadapter.Query{})[p.ID].Variants[0].Price
			if got := fake.paid(fake.sole(t).variants[0].price); err != nil || got != tt.paid ||
				!is.Prices.Alike(told, tt.price) {
				t.Errorf("a customer pays %s, want %s; told is %s, %v", got, tt.paid, told, err)
			}
		})
	}
}
