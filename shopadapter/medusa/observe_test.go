package medusa_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/medusa"
)

// observe is what an observation tells, by publication.
func observe(
	t testing.TB, a shopadapter.Adapter, what shopadapter.Query,
) map[shopadapter.PublicationID]shopadapter.Listed {
	t.Helper()
	all := map[shopadapter.PublicationID]shopadapter.Listed{}
	for o, err := range a.List(t.Context(), what) {
		if err != nil {
			t.Fatal(err)
		}
		all[o.Ref.Publication] = o
	}
	return all
}

// A handiwork is something that somebody does by hand to a product and one of its variants, and what
// it makes of an observation.
type handiwork struct {
	name string
	hand func(ctx context.Context, o *office, listing shopadapter.ListingID, variant string) error
	want func(*shopadapter.Listed)
}

func handiworks() []handiwork {
	type (
		id   = shopadapter.ListingID
		seen = shopadapter.Listed
	)
	variant := func(v string) laws.SeenVariant { return laws.SeenVariant{ShopID: v} }
	edit := func(group shopadapter.Fields) func(context.Context, *office, id, string) error {
		return func(ctx context.Context, o *office, l id, _ string) error { return o.edit(ctx, l, group) }
	}
	return []handiwork{
		{"a price", func(ctx context.Context, o *office, l id, v string) error {
			return o.setPrice(ctx, l, variant(v), "5.00")
		}, func(o *seen) { o.Variants[0].Price = "5.00" }},
		{"a price list", func(ctx context.Context, o *office, l id, v string) error {
			return o.reduce(ctx, l, variant(v), "4.00")
		}, func(*seen) {}},
		{"prices of the merchant's own", func(ctx context.Context, o *office, l id, v string) error {
			many, dollars := euros("3.00"), euros("2.00")
			many["min_quantity"], dollars["currency_code"] = 10, "usd"
			return o.updateVariant(ctx, l, v, object{"prices": []object{many, euros("5.00"), dollars}})
		}, func(o *seen) { o.Variants[0].Price = "5.00" }},
		{"no price", func(ctx context.Context, o *office, l id, v string) error {
			return o.updateVariant(ctx, l, v, object{"prices": []object{}})
		}, func(o *seen) { o.Variants[0].Price = "" }},
		{"a quantity", func(ctx context.Context, o *office, l id, v string) error {
			return o.setQuantity(ctx, l, variant(v), 999)
		}, func(o *seen) { o.Variants[0].Quantity = 999 }},
		{"counting is switched off", func(ctx context.Context, o *office, l id, v string) error {
			return o.updateVariant(ctx, l, v, object{"manage_inventory": false})
		}, func(o *seen) { o.Variants[0].Uncounted, o.Variants[0].Quantity = true, 0 }},
		{"below zero", func(ctx context.Context, o *office, l id, v string) error {
			return o.updateVariant(ctx, l, v, object{"allow_backorder": true})
		}, func(o *seen) { o.Variants[0].Backorders = true }},
		{"a variant is deleted", func(ctx context.Context, o *office, l id, v string) error {
			return o.removeVariant(ctx, l, variant(v))
		}, func(o *seen) { o.Variants = o.Variants[1:] }},
		{"a title", edit(shopadapter.FieldTitle), func(o *seen) { o.Edited |= shopadapter.FieldTitle }},
		{"a translation", func(ctx context.Context, o *office, l id, _ string) error {
			return o.retranslate(ctx, l, object{"title": "Mijn eigen lamp"})
		}, func(o *seen) { o.Edited |= shopadapter.FieldDescription }},
		{"a category", edit(shopadapter.FieldCategory), func(o *seen) { o.Edited |= shopadapter.FieldCategory }},
		{"pictures", edit(shopadapter.FieldImages), func(o *seen) {
			o.Images = 1
			o.Edited |= shopadapter.FieldImages
		}},
		{"out of sale", func(ctx context.Context, o *office, l id, _ string) error {
			return o.hide(ctx, l)
		}, func(o *seen) { o.OnSale = false }},
	}
}

// check does it by hand, and holds the next observations to what has changed by it and nothing else.
func (h handiwork) check(t *testing.T, a shopadapter.Adapter, o *office, id shopadapter.PublicationID) {
	t.Helper()
	want := observe(t, a, shopadapter.Query{})
	one := want[id]
	if len(want) < 2 || len(one.Variants) == 0 {
		t.Fatalf("%d listings are observed, and %d variants of %s", len(want), len(one.Variants), id)
	}
	if err := h.hand(t.Context(), o, one.Ref.Listing, one.Variants[0].ShopID); err != nil {
		t.Fatal(err)
	}
	h.want(&one)
	want[id] = one
	unordered := cmpopts.SortSlices(func(a, b shopadapter.ListedVariant) bool { return a.ShopID < b.ShopID })
	if diff := cmp.Diff(want, observe(t, a, shopadapter.Query{}), unordered); diff != "" {
		t.Errorf("observed (-want +got):\n%s", diff)
	}
	some := observe(t, a, shopadapter.Query{Refs: []shopadapter.Ref{{Publication: id}, {Publication: "none"}}})
	only := map[shopadapter.PublicationID]shopadapter.Listed{id: one}
	if diff := cmp.Diff(only, some, unordered); diff != "" {
		t.Errorf("observed by its ref (-want +got):\n%s", diff)
	}
}

// What somebody does by hand is observed, and nothing else.
func TestWhatIsDoneByHandIsObserved(t *testing.T) {
	for _, h := range handiworks() {
		t.Run(h.name, func(t *testing.T) {
			f := newFake(t)
			a := f.open()
			for _, id := range []shopadapter.PublicationID{"p", "other"} {
				p := laws.Sample(id, 3)
				p.Translations["nl"] = shopadapter.Translation{Title: "Lamp", Description: "<p>Een lamp.</p>"}
				publish(t, a, p, shopadapter.AllFields)
			}
			h.check(t, a, f.office(), "p")
		})
	}
}

// A quantity at another location than the one that is written to does not count.
func TestOnlyTheOwnLocationIsObserved(t *testing.T) {
	f := newFake(t)
	a, p := f.open(), laws.Sample("p", 1)
	publish(t, a, p, shopadapter.AllFields)
	for item, levels := range f.levels {
		shed := object{"id": "ilev_0", "location_id": "sloc_0", "stocked_quantity": 99.0, "updated_at": now()}
		f.levels[item] = append([]object{shed}, levels...)
	}
	if got := observe(t, a, shopadapter.Query{})["p"].Variants[0].Quantity; got != p.Variants[0].Quantity {
		t.Errorf("the quantity is %d, want %d", got, p.Variants[0].Quantity)
	}
}

// Of a price without tax the one with it is told, to the cent.
func TestNetPricesAreObserved(t *testing.T) {
	f := newFake(t)
	f.inclusive, f.vat = false, "21"
	a, p := f.open(), laws.Sample("p", 3)
	p.Variants[0].Price, p.Variants[1].Price, p.Variants[2].Price = "24.20", "20.02", "19.95"
	l := publish(t, a, p, shopadapter.AllFields)
	got := map[string]string{}
	for _, v := range observe(t, a, shopadapter.Query{})["p"].Variants {
		got[v.ShopID] = v.Price
	}
	for _, v := range p.Variants {
		if got := got[l.ShopIDs()[v.ID]]; got != v.Price {
			t.Errorf("of %s is told %s", v.Price, got)
		}
	}
}

// crowded is a shop with 1,000 products of three variants.
func crowded(t testing.TB) (*fake, *medusa.Adapter) {
	t.Helper()
	f := newFake(t)
	a := f.open()
	publish(t, a, laws.Sample("p", 3), shopadapter.AllFields)
	for i := range 999 {
		p := object{}
		for name, value := range f.products[0] {
			p[name] = value
		}
		id := fmt.Sprint("p", i)
		p["id"], p["external_id"] = id, id
		p["metadata"] = object{"pubsync": fmt.Sprintf(
			`{"v":1,"id":"%s","product":"%s","title":"","description":"","images":"","category":"",`+
				`"translations":{"nl-NL":{"title":"","description":""}}}`, id, id)}
		f.products = append(f.products, p)
	}
	f.took()
	return f, a
}

// A thousand products take two requests for each page of a hundred; pages overlap.
func TestObserveTakesFewRequests(t *testing.T) {
	f, a := crowded(t)
	if got := len(observe(t, a, shopadapter.Query{})); got != 1000 {
		t.Errorf("%d are observed, want 1000", got)
	}
	if got := len(f.took()); got > 28 {
		t.Errorf("it took %d requests, want 28 at most", got)
	}
}

// A brand, a size or another detail that somebody typed is observed in the requests that are made
// anyway; what was written is not, and neither is a size of the product that the adapter left empty.
func TestDetailsAreObserved(t *testing.T) {
	type id = shopadapter.ListingID
	variant := func(fields object) func(context.Context, *office, id, string) error {
		return func(ctx context.Context, o *office, l id, v string) error { return o.updateVariant(ctx, l, v, fields) }
	}
	product := func(fields object) func(context.Context, *office, id, string) error {
		return func(ctx context.Context, o *office, l id, _ string) error { return o.update(ctx, l, fields) }
	}
	both := shopadapter.FieldBrand | shopadapter.FieldDetails
	for _, tc := range []struct {
		name     string
		bare     bool // the supplier gave none
		hand     func(context.Context, *office, id, string) error
		compared shopadapter.Fields
		edited   shopadapter.Fields
	}{
		{"nothing", false, variant(object{}), both, 0},
		{"a weight", false, variant(object{"weight": 777}), both, shopadapter.FieldDetails},
		{"a weight that is emptied", false, variant(object{"weight": nil}), both, shopadapter.FieldDetails},
		{"a country", false, variant(object{"origin_country": "jp"}), both, shopadapter.FieldDetails},
		{"an EAN, which follows the supplier", false, variant(object{"ean": "4006381333931"}), both, 0},
		{"a brand", false, product(object{"metadata": object{"brand": "My own"}}), both, shopadapter.FieldBrand},
		{"a diameter", false, variant(object{"metadata": object{"diameter": "7.77"}}), both, shopadapter.FieldDetails},
		{"a material of the product itself", false, product(object{"material": "Gold"}), both, shopadapter.FieldDetails},
		{"nothing, where the EAN alone was written", true, variant(object{}), shopadapter.FieldDetails, 0},
		{
			"a weight where none was written", true, variant(object{"weight": 777}), shopadapter.FieldDetails,
			shopadapter.FieldDetails,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newFake(t)
			a, p := f.open(), laws.Sample("p", 2)
			if !tc.bare {
				p = laws.WithDetails(p, 1)
			}
			l := publish(t, a, p, shopadapter.AllFields)
			if err := tc.hand(t.Context(), f.office(), l.ID, l.ShopIDs()[p.Variants[0].ID]); err != nil {
				t.Fatal(err)
			}
			o := observe(t, a, shopadapter.Query{})["p"]
			if got := o.Compared & both; got != tc.compared {
				t.Errorf("compared: got %s, want %s", got, tc.compared)
			}
			if o.Edited != tc.edited {
				t.Errorf("edited: got %s, want %s", o.Edited, tc.edited)
			}
		})
	}
}
