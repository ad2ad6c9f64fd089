package medusa_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/nodeserver"
	"github.com/pubsync/pubsync/shopadapter/kit"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/medusa"
)

const figures = shopadapter.FieldPrice | shopadapter.FieldStock

// all is what the owner sees of the shop.
func (f *fake) all() []shown {
	f.t.Helper()
	products, err := f.office().products(f.t.Context())
	if err != nil {
		f.t.Fatal(err)
	}
	return products
}

// variant is what the owner sees of a variant, by the supplier's id of it.
func (p shown) variant(id string) *shownVariant {
	for i := range p.Variants {
		if p.Variants[i].Metadata["pubsync"] == id {
			return &p.Variants[i]
		}
	}
	return nil
}

// Figures alone take a look and the writes of what differs. All else stays as it is: the merchant's
// variants, prices, texts, and stock at other locations.
func TestRestockWritesFiguresAlone(t *testing.T) {
	f := newFake(t)
	a := f.open()
	p := laws.Sample("p", 5)
	made := publish(t, a, p, shopadapter.AllFields)
	whole := f.products[0]
	mine := f.createVariant(whole, object{
		"title": "My own", "sku": "MY-OWN", "options": object{"Color": "Green", "Size": "50 cm"},
		"prices": []any{object{"currency_code": "eur", "amount": 77.77}},
	})
	f.levels[text(mine["item"])] = []object{{"location_id": "sloc_1", "stocked_quantity": 77}}
	whole["title"] = "The lamp on my own desk"
	for _, v := range objects(whole["variants"]) {
		item := text(v["item"])
		v["prices"] = append(v["prices"].([]any), object{"currency_code": "usd", "amount": 30, "rules": object{}})
		f.levels[item] = append(f.levels[item], object{"location_id": "sloc_2", "stocked_quantity": 55})
	}
	want := f.all()
	changed := want[0].variant(p.Variants[1].ID)
	changed.Prices[0].Amount, changed.Inventory[0].Item.Levels[0].Stocked, changed.Backorders = "66.5", 66, true
	f.took()

	p.Variants[1].Price, p.Variants[1].Quantity, p.Variants[1].Backorders = "66.50", 66, true
	for _, requests := range [][]string{
		{"GET /admin/products", "POST /admin/products/" + string(made.ID) + "/variants/batch", "POST " +
			"/admin/inventory-items/location-levels/batch"},
		{"GET /admin/products"},
	} {
		l, err := a.Publish(t.Context(), shopadapter.Ref{Publication: p.ID, OnSale: true}, p.OnlyFigures(), figures)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(made, l); diff != "" {
			t.Errorf("the listing (-made +restocked):\n%s", diff)
		}
		if diff := cmp.Diff(requests, f.took()); diff != "" {
			t.Errorf("requests (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want, f.all()); diff != "" {
			t.Errorf("the shop (-want +got):\n%s", diff)
		}
	}
}

// lateDraft is what a creation leaves that Medusa carries out after its caller has given up and made
// another product.
func lateDraft(f *fake) object {
	var note struct {
		kit.Note
		kit.Text
	}
	note.Version, note.ID = 1, "p"
	note.Text = kit.WrittenText(shopadapter.Translation{Title: "Lamp"})
	return object{
		"id": f.id("prod"), "handle": "late", "status": "draft", "external_id": f.products[0]["external_id"],
		"title": "Lamp", "description": nil, "metadata": object{"pubsync": kit.Encode(note)},
		"variants": []any{}, "options": []any{}, "images": []any{}, "categories": []any{}, "sales_channels": []any{},
	}
}

// What a Publish would do more than figures for is left to it, and nothing is written.
func TestRestockAsksForTheWhole(t *testing.T) {
	// stamped changes the text of the product's stamp.
	stamped := func(f *fake, old, fresh string) {
		marks := f.products[0]["metadata"].(object)
		marks["pubsync"] = strings.Replace(text(marks["pubsync"]), old, fresh, 1)
	}
	for _, tt := range []struct {
		name   string
		change func(f *fake, ref *shopadapter.Ref, p *shopadapter.Product)
	}{
		{"a variant deleted by hand", func(f *fake, _ *shopadapter.Ref, _ *shopadapter.Product) {
			f.products[0]["variants"] = f.products[0]["variants"].([]any)[1:]
		}},
		{"a variant that is there twice", func(f *fake, _ *shopadapter.Ref, _ *shopadapter.Product) {
			variants := f.products[0]["variants"].([]any)
			f.products[0]["variants"] = append(variants, variants[0])
		}},
		{"a variant without inventory", func(f *fake, _ *shopadapter.Ref, _ *shopadapter.Product) { f.uncounted = true }},
		{
			"a variant named twice",
			func(_ *fake, _ *shopadapter.Ref, p *shopadapter.Product) { p.Variants[1].ID = p.Variants[0].ID },
		},
		{"no variant", func(_ *fake, _ *shopadapter.Ref, p *shopadapter.Product) { p.Variants = nil }},
		{"a variant that the shop lacks, without a price", func(_ *fake, _ *shopadapter.Ref, p *shopadapter.Product) {
			p.Variants = append(p.Variants, shopadapter.Variant{ID: "more"})
		}},
		{
			"a price that is none",
			func(_ *fake, _ *shopadapter.Ref, p *shopadapter.Product) { p.Variants[1].Price = "on request" },
		},
		{
			"a product that was never finished",
			func(f *fake, _ *shopadapter.Ref, _ *shopadapter.Product) { stamped(f, `"product":`, `"former":`) },
		},
		{"a draft of a late creation", func(f *fake, _ *shopadapter.Ref, _ *shopadapter.Product) {
			f.products = append(f.products, lateDraft(f))
		}},
		{"a product that a person asked to be put back on sale", func(f *fake, ref *shopadapter.Ref, _ *shopadapter.Product) {
			f.products[0]["status"], ref.OnSale = "draft", false
		}},
		{
			"a text that the merchant gives back",
			func(_ *fake, ref *shopadapter.Ref, _ *shopadapter.Product) { ref.Reset = shopadapter.FieldTitle },
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			a := f.open()
			p := laws.Sample("p", 2)
			l := publish(t, a, p, shopadapter.AllFields)
			p = laws.Revise(p, 1)
			ref := shopadapter.Ref{Publication: p.ID, Listing: l.ID, OnSale: true}
			tt.change(f, &ref, &p)
			before := f.all()
			f.took()
			if l, err := a.Publish(t.Context(), ref, p.OnlyFigures(), figures); !errors.Is(
				err,
				shopadapter.ErrWhole,
			) {
				t.Errorf("%+v, %v, want ErrWhole", l, err)
			}
			if diff := cmp.Diff([]string{"GET /admin/products"}, f.took()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(before, f.all()); diff != "" {
				t.Errorf("the shop (-before +after):\n%s", diff)
			}
		})
	}
}

// A variant whose price the shop refuses holds up no other.
func TestRestockIsRefusedByVariant(t *testing.T) {
	f := newFake(t)
	f.refusedPrice = 66.5
	a := f.open()
	p := laws.Sample("p", 3)
	publish(t, a, p, shopadapter.AllFields)
	p.Variants[0].Price, p.Variants[1].Price, p.Variants[2].Price = "11.00", "66.50", "22.00"
	l, err := a.Publish(t.Context(), shopadapter.Ref{Publication: p.ID, OnSale: true}, p.OnlyFigures(), figures)
	if err != nil {
		t.Fatal(err)
	}
	if len(l.Refused) != 1 || !strings.Contains(l.Refused[p.Variants[1].ID], "this price") || len(l.Variants) != 3 {
		t.Errorf("the listing is %+v", l)
	}
	for id, want := range map[string]string{p.Variants[0].ID: "11", p.Variants[1].ID: "20.95", p.Variants[2].ID: "22"} {
		if got := f.all()[0].variant(id).base(); got != want {
			t.Errorf("%s costs %s, want %s", id, got, want)
		}
	}
}

// Whichever answer of a Restock is lost, the next Publish ends with one listing, its figures, and
// no text that is taken for the merchant's.
func TestALostAnswerOfARestock(t *testing.T) {
	for k := 1; ; k++ {
		f := newFake(t)
		p := laws.Sample("p", 3)
		made := publish(t, f.open(), p, shopadapter.AllFields)
		lossy := &nodeserver.Lossy{Next: f, Left: k}
		a, err := medusa.Open(shopadapter.Options{Settings: f.settings(), HTTPClient: &http.Client{Transport: lossy}})
		if err != nil {
			t.Fatal(err)
		}
		p = laws.Revise(p, 1)
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
		for _, v := range p.Variants {
			if got := f.office().of(t, p.ID).variant(v.ID).seen(); got.Quantity != v.Quantity {
				t.Errorf("with answer %d lost there are %d of %s, want %d", k, got.Quantity, v.ID, v.Quantity)
			}
		}
	}
}
