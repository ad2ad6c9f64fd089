package vendure_test

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

// A channel whose prices do not include tax is given the nearest price without it, in its own minor
// units.
func TestNetPrices(t *testing.T) {
	for _, tt := range []struct {
		name      string
		inclusive any
		precision int
		setting   string
		stored    int // of 20.02
		paid      int // by a visitor
	}{
		{"with tax", true, 2, "auto", 2002, 2002},
		{"without tax", false, 2, "auto", 1655, 2003},
		{"without tax, three decimals", false, 3, "auto", 16545, 20019},
		{"without tax, written gross", false, 2, "gross", 2002, 2422},
		{"without tax, written net", false, 2, "net", 1655, 2003},
		{"a channel that does not say", nil, 2, "auto", 2002, 2002},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fake := newFakeShop(t)
			fake.channel["pricesIncludeTax"], fake.precision, fake.vat = tt.inclusive, tt.precision, "21"
			a := fake.open(t, "PRICES", tt.setting)
			p := lamp("p", 2)
			p.Variants[0].Price = "20.02"
			l, err := a.Publish(t.Context(), shopadapter.Ref{Publication: p.ID}, p, shopadapter.AllFields)
			if err != nil {
				t.Fatal(err)
			}
			if got := only(t, fake).Variants[0].PriceWithTax; got != tt.paid {
				t.Errorf("a visitor pays %d, want %d", got, tt.paid)
			}
			if got := fake.products[0].variants[0].price; got != tt.stored {
				t.Errorf("the price is %d, want %d", got, tt.stored)
			}
			is, err := a.Check(t.Context())
			prices := is.Prices
			if err != nil || prices.Net() != (tt.stored < 2002 || tt.precision > 2) ||
				prices.Net() && prices.Places != tt.precision {
				t.Errorf("prices are told as %+v, %v", prices, err)
			}
			p.Variants[0].Price = "24.20"
			ref := shopadapter.Ref{Publication: p.ID, Listing: l.ID, State: l.State, OnSale: true}
			if _, err := a.Publish(t.Context(), ref, p.OnlyFigures(), shopadapter.FieldPrice); err != nil {
				t.Fatal(err)
			}
			if got := only(t, fake).Variants[0].PriceWithTax; tt.setting == "auto" && tt.precision == 2 && got != 2420 {
				t.Errorf("figures alone: a visitor pays %d, want 2420", got)
			}
		})
	}
}

// Without a VAT percentage nothing is written to a channel that adds tax, and the message says what
// to set.
func TestNetPricesWithoutVAT(t *testing.T) {
	fake := newFakeShop(t)
	fake.channel["pricesIncludeTax"] = false
	a := fake.open(t)
	p := lamp("p", 1)
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
