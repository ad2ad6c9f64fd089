package catalog

import (
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

func TestAvailability(t *testing.T) {
	for _, tt := range []struct {
		name       string
		quantity   int
		backorders bool
		later      bool
		want       string
	}{
		{"in stock", 3, false, false, "InStock"},
		{"sold out", 0, false, false, "OutOfStock"},
		{"to order", 0, true, false, "BackOrder"},
		{"later, with units that may be ordered", 3, false, true, "PreOrder"},
		{"later, to order", 0, true, true, "PreOrder"},
		{"later, and nothing may be ordered", 0, false, true, "OutOfStock"},
	} {
		v := shopadapter.Variant{Quantity: tt.quantity, Backorders: tt.backorders}
		if got := availability(&v, tt.later); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestIsGTIN(t *testing.T) {
	for number, want := range map[string]bool{
		"4006381333931": true, "4006381333932": false, "73513537": true, "012345678905": true, "10012345678902": true,
		"": false, "400638133393": false, "40063813339x1": false, " 4006381333931": false,
	} {
		if got := isGTIN(number); got != want {
			t.Errorf("%q: got %t, want %t", number, got, want)
		}
	}
}

func TestSchema(t *testing.T) {
	schemaOf := func(change func(p *shopadapter.Product)) *schemaProduct {
		p := laws.WithDetails(bench("a"), 1)
		p.Currency = "EUR"
		change(&p)
		r, _ := merge(nil, p, shopadapter.AllFields, 0, testTime)
		return r.schema(wordsFor("en"), p.Title, "", "https://shop.example.com/a.html")
	}
	if got := schemaOf(func(p *shopadapter.Product) { p.Currency = "" }); got != nil {
		t.Errorf("without a currency: got %+v, want none", got)
	}
	if got := schemaOf(func(p *shopadapter.Product) { p.Images = []string{"data:image/png,x"} }); got != nil {
		t.Errorf("without a picture: got %+v, want none", got)
	}
	pounds := schemaOf(func(p *shopadapter.Product) {
		p.Units = shopadapter.Units{Weight: "lb", Length: "in"}
		p.Variants[0].Weight, p.Variants[0].Length = "10", "2"
	}).Variants[0]
	if got := pounds.Weight.Value; got != "4.5359" {
		t.Errorf("ten pounds: got %s kg, want 4.5359", got)
	}
	if got := pounds.Depth.Value; got != "5.08" {
		t.Errorf("two inches: got %s cm, want 5.08", got)
	}
	if got, want := pounds.Offers.URL, "https://shop.example.com/a.html#"+anchor("v1"); got != want {
		t.Errorf("address of a variant: got %s, want %s", got, want)
	}
	odd := schemaOf(func(p *shopadapter.Product) {
		p.Variants, p.Options = p.Variants[:1], nil
		v := &p.Variants[0]
		v.Options, v.EAN, v.Weight = nil, "12", "heavy"
	})
	if odd.GTIN != "" || odd.Weight != nil {
		t.Errorf("a bad EAN and weight: got %q and %v, want neither", odd.GTIN, odd.Weight)
	}
	if odd.Type != "Product" {
		t.Errorf("without a choice: got %s, want a Product", odd.Type)
	}
}
