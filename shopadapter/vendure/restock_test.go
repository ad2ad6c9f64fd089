package vendure_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/nodeserver"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/vendure"
)

const figures = shopadapter.FieldPrice | shopadapter.FieldStock

func restock(
	t *testing.T,
	a shopadapter.Adapter,
	p shopadapter.Product,
	changed shopadapter.Fields,
) shopadapter.Listing {
	t.Helper()
	l, err := a.Publish(t.Context(), shopadapter.Ref{Publication: p.ID, OnSale: true}, p.OnlyFigures(), changed)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A Restock takes two requests, a look and one change. It touches nothing else of the product, nor
// what the merchant has added to it.
func TestRestockWritesFiguresAlone(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	p := lamp("p", 5)
	made := publish(t, a, p, shopadapter.AllFields)
	product := fake.products[0]
	mine := &fakeVariant{
		id:      fake.id(),
		sku:     "MY-OWN",
		price:   7777,
		stock:   77,
		names:   map[string]string{"en": "My own"},
		options: slices.Clone(product.variants[0].options),
	}
	mine.options[1] = product.variants[4].options[1]
	product.variants = append(product.variants, mine)
	product.texts[0].name = "The lamp on my own desk"
	want := only(t, fake)
	for i, v := range want.Variants {
		if v.CustomFields.PubsyncID == p.Variants[1].ID {
			want.Variants[i].PriceWithTax, want.Variants[i].StockOnHand = 6650, 66
		}
	}
	fake.took()
	p.Variants[1].Price, p.Variants[1].Quantity = "66.50", 66
	for _, requests := range [][]string{{"Look", "UpdateVariants"}, {"Look"}} {
		l := restock(t, a, p, figures)
		if diff := cmp.Diff(made, l); diff != "" {
			t.Errorf("the listing (-made +restocked):\n%s", diff)
		}
		if diff := cmp.Diff(requests, fake.took()); diff != "" {
			t.Errorf("requests (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want, only(t, fake)); diff != "" {
			t.Errorf("the product (-want +got):\n%s", diff)
		}
	}
}

// What a Publish would do more than figures for is left to it, and nothing is written.
func TestRestockAsksForTheWhole(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(f *fakeShop, ref *shopadapter.Ref, p *shopadapter.Product)
	}{
		{"a variant deleted by hand", func(f *fakeShop, _ *shopadapter.Ref, _ *shopadapter.Product) {
			f.products[0].variants[1].deleted = true
		}},
		{"a variant that is there twice", func(f *fakeShop, _ *shopadapter.Ref, _ *shopadapter.Product) {
			twice := *f.products[0].variants[1]
			twice.id = f.id()
			f.products[0].variants = append(f.products[0].variants, &twice)
		}},
		{
			"a variant named twice",
			func(_ *fakeShop, _ *shopadapter.Ref, p *shopadapter.Product) { p.Variants[1].ID = p.Variants[0].ID },
		},
		{"no variant", func(_ *fakeShop, _ *shopadapter.Ref, p *shopadapter.Product) { p.Variants = nil }},
		{"a variant that the shop lacks, without a price", func(_ *fakeShop, _ *shopadapter.Ref, p *shopadapter.Product) {
			p.Variants = append(p.Variants, shopadapter.Variant{ID: "more"})
		}},
		{
			"a price that is none",
			func(_ *fakeShop, _ *shopadapter.Ref, p *shopadapter.Product) { p.Variants[1].Price = "on request" },
		},
		{
			"a price beyond the shop's",
			func(_ *fakeShop, _ *shopadapter.Ref, p *shopadapter.Product) { p.Variants[1].Price = "19.999" },
		},
		{"a product that was never finished", func(f *fakeShop, _ *shopadapter.Ref, _ *shopadapter.Product) {
			f.products[0].stamp = strings.Replace(f.products[0].stamp, `"product":`, `"former":`, 1)
		}},
		{"a damaged stamp", func(f *fakeShop, _ *shopadapter.Ref, _ *shopadapter.Product) { f.products[0].stamp = "mine" }},
		{"a draft of a late creation", func(f *fakeShop, _ *shopadapter.Ref, _ *shopadapter.Product) {
			late := *f.products[0]
			late.id, late.enabled, late.stamp = f.id(), false, strings.Replace(late.stamp, `"product":`, `"former":`, 1)
			f.products = append(f.products, &late)
		}},
		{"a product that a person asks to be put on sale", func(f *fakeShop, ref *shopadapter.Ref, _ *shopadapter.Product) {
			f.products[0].enabled, ref.OnSale = false, false
		}},
		{
			"a text that the merchant gives back",
			func(_ *fakeShop, ref *shopadapter.Ref, _ *shopadapter.Product) { ref.Reset = shopadapter.FieldTitle },
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			fake := newFakeShop(t)
			a := fake.open(t)
			p := lamp("p", 2)
			l := publish(t, a, p, shopadapter.AllFields)
			p = laws.Revise(p, 1)
			ref := shopadapter.Ref{Publication: p.ID, Listing: l.ID, OnSale: true}
			tt.change(fake, &ref, &p)
			before := products(t, fake)
			fake.took()
			if l, err := a.Publish(t.Context(), ref, p.OnlyFigures(), figures); !errors.Is(
				err,
				shopadapter.ErrWhole,
			) {
				t.Errorf("%+v, %v, want ErrWhole", l, err)
			}
			if diff := cmp.Diff([]string{"Look"}, fake.took()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, products(t, fake)); diff != "" {
				t.Errorf("the shop (-before +after):\n%s", diff)
			}
		})
	}
}

// A variant whose price the shop refuses holds up no other.
func TestRestockIsRefusedByVariant(t *testing.T) {
	fake := newFakeShop(t)
	fake.refusedPrice = 6650
	a := fake.open(t)
	p := lamp("p", 3)
	publish(t, a, p, shopadapter.AllFields)
	p.Variants[0].Price, p.Variants[1].Price, p.Variants[2].Price = "11.00", "66.50", "22.00"
	l := restock(t, a, p, figures)
	if len(l.Refused) != 1 || !strings.Contains(l.Refused[p.Variants[1].ID], "this price") || len(l.Variants) != 3 {
		t.Errorf("the listing is %+v", l)
	}
	for _, v := range only(t, fake).Variants {
		prices := map[string]int{p.Variants[0].ID: 1100, p.Variants[1].ID: 2095, p.Variants[2].ID: 2200}
		if want := prices[v.CustomFields.PubsyncID]; v.PriceWithTax != want {
			t.Errorf("%s costs %d, want %d", v.CustomFields.PubsyncID, v.PriceWithTax, want)
		}
	}
}

// Whichever answer of a Restock is lost, the next Publish ends with one listing, its figures, and
// no text that is taken for the merchant's.
func TestALostAnswerOfARestock(t *testing.T) {
	for k := 1; ; k++ {
		fake := newFakeShop(t)
		p := lamp("p", 3)
		made := publish(t, fake.open(t), p, shopadapter.AllFields)
		lossy := &nodeserver.Lossy{Next: fake, Left: k}
		a, err := vendure.Open(shopadapter.Options{Settings: settings(), HTTPClient: &http.Client{Transport: lossy}})
		if err != nil {
			t.Fatal(err)
		}
		p = laws.Revise(p, 1)
		p.Images = []string{}
		_, err = a.Publish(t.Context(), shopadapter.Ref{Publication: p.ID, OnSale: true}, p.OnlyFigures(), figures)
		if lossy.Left > 0 {
			if k < 4 || err != nil {
				t.Errorf("a restock takes %d requests: %v", k-1, err)
			}
			return
		}
		if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Transient {
			t.Errorf("with answer %d lost the error is %v", k, err)
		}
		if l := publish(t, a, p, shopadapter.AllFields); l.Kept != shopadapter.NoFields || l.ID != made.ID {
			t.Errorf("with answer %d lost the listing is %+v", k, l)
		}
		for _, v := range only(t, fake).Variants {
			i := slices.IndexFunc(
				p.Variants,
				func(want shopadapter.Variant) bool { return want.ID == v.CustomFields.PubsyncID },
			)
			if i < 0 || v.StockOnHand != p.Variants[i].Quantity {
				t.Errorf("with answer %d lost a variant is %+v", k, v)
			}
		}
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
}
