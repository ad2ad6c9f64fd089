package medusa_test

import (
	"testing"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// visited is the price that a visitor is shown of one that is stored, calculated as Medusa does.
func (f *fake) visited(t *testing.T, price string) string {
	t.Helper()
	d, err := decimal.NewFromString(price)
	if err != nil {
		t.Fatal(err)
	}
	if !f.inclusive {
		d = d.Mul(decimal.RequireFromString("1.21"))
	}
	return d.StringFixed(2)
}

// A store that adds tax is given the price without it, by Publish and for figures alone, also once
// its setting has changed.
func TestNetPrices(t *testing.T) {
	f := newFake(t)
	f.vat = "21"
	a := f.open()
	p := laws.Sample("p", 2)
	p.Variants[0].Price, p.Variants[1].Price = "20.02", "24.20"
	l := publish(t, a, p, shopadapter.AllFields)
	shown := func(when string) {
		t.Helper()
		for _, v := range p.Variants {
			if got := f.visited(t, f.office().of(t, p.ID).variant(v.ID).base()); got != v.Price {
				t.Errorf("%s a visitor is shown %s, want %s", when, got, v.Price)
			}
		}
	}
	shown("with tax in the price")
	f.inclusive = false
	if is, err := a.Check(t.Context()); err != nil || is.Prices.VAT != "21" {
		t.Fatalf("prices are told as %+v, %v", is.Prices, err)
	}
	ref := shopadapter.Ref{Publication: p.ID, Listing: l.ID, State: l.State, OnSale: true}
	if _, err := a.Publish(t.Context(), ref, p.OnlyFigures(), shopadapter.FieldPrice); err != nil {
		t.Fatal(err)
	}
	shown("with tax on top")
	f.took()
	publish(t, a, p, shopadapter.FieldPrice)
	for _, request := range f.took() {
		if request == "POST /admin/products/"+string(l.ID)+"/variants/batch" {
			t.Error("a price that stands is written again")
		}
	}
}
