package woocommerce

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/fakeshop"
)

// observed is what an observation gives, by publication.
func observed(t testing.TB, a *adapter, what shopadapter.Query) map[shopadapter.PublicationID]shopadapter.Listed {
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

// stock adds products of ours, with so many variations each, as they stand since some day.
func (f *fakeShop) stock(products, variations int) {
	for i := range products {
		f.NextPost++
		note := newNote(shopadapter.PublicationID(fmt.Sprint("stocked-", i)))
		note.Product = kit.ProductID(idText(number(f.NextPost)))
		own := &fakeshop.Post{
			ID: f.NextPost, Kind: "variable", Status: "publish", Slug: fmt.Sprint("p", i), Backorders: "no",
			Meta: map[string]any{noteKey: kit.Encode(note)},
		}
		f.Posts[own.ID] = own
		for n := range variations {
			f.NextPost++
			f.Posts[f.NextPost] = &fakeshop.Post{
				ID: f.NextPost, Parent: own.ID, Kind: "variation", Status: "publish", SKU: fmt.Sprint("s", i, "-", n),
				Price: "5.00", Managed: true, Quantity: 3, Backorders: "no",
				Meta: map[string]any{noteKey: kit.Encode(mark{ID: "stocked", Variant: fmt.Sprint(n)})},
			}
		}
	}
}

// The doc of the package has these figures.
func TestObserveCost(t *testing.T) {
	f, a := opened(t)
	f.stock(1000, 3)
	if _, err := a.shop.Get(t.Context(), true); err != nil { // asked for once in a while
		t.Fatal(err)
	}
	f.Requests()
	variants := 0
	for _, o := range observed(t, a, shopadapter.Query{}) {
		variants += len(o.Variants)
	}
	if want := 3000; variants != want {
		t.Errorf("the variants observed are %d, want %d", variants, want)
	}
	if got, want := len(f.Requests()), 44; got != want {
		t.Errorf("the requests for all are %d, want %d", got, want)
	}
}

// What the merchant does to a variation is observed as it stands.
func TestObserveWhatTheMerchantDoes(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(f *fakeShop, p, v *fakeshop.Post)
		want func(*shopadapter.ListedVariant)
	}{
		{"nothing", func(*fakeShop, *fakeshop.Post, *fakeshop.Post) {}, func(*shopadapter.ListedVariant) {}},
		{
			"stock is not counted",
			func(_ *fakeShop, _, v *fakeshop.Post) { v.Managed = false },
			func(o *shopadapter.ListedVariant) { o.Quantity, o.Uncounted = 0, true },
		},
		{
			"stock is counted for the product as a whole",
			func(_ *fakeShop, p, v *fakeshop.Post) { v.Managed, p.Managed, p.Quantity = false, true, 77 },
			func(o *shopadapter.ListedVariant) { o.Quantity, o.Uncounted = 77, true },
		},
		{
			"backorders, and the customer is told",
			func(_ *fakeShop, _, v *fakeshop.Post) { v.Backorders = "notify" },
			func(o *shopadapter.ListedVariant) { o.Backorders = true },
		},
		{
			"a price for a sale",
			func(_ *fakeShop, _, v *fakeshop.Post) { v.Sale = "1.00" },
			func(*shopadapter.ListedVariant) {},
		},
		{
			"no price", func(_ *fakeShop, _, v *fakeshop.Post) { v.Price = "" },
			func(o *shopadapter.ListedVariant) { o.Price = "" },
		},
		{
			"no SKU", func(_ *fakeShop, _, v *fakeshop.Post) { v.SKU = "" },
			func(o *shopadapter.ListedVariant) { o.SKU = "" },
		},
		{
			"not enabled", func(_ *fakeShop, _, v *fakeshop.Post) { v.Status = "private" },
			func(o *shopadapter.ListedVariant) { o.OnSale = false },
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, a := opened(t)
			p := sample("watched", 2)
			ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
			own := f.Find(ref.Listing)
			child := f.Posts[f.Children(own.ID)[0]]
			tt.do(f, own, child)
			want := shopadapter.ListedVariant{
				ShopID: strconv.FormatInt(child.ID, 10), SKU: p.Variants[0].SKU, Price: p.Variants[0].Price,
				Quantity: p.Variants[0].Quantity, OnSale: true,
			}
			tt.want(&want)
			o := observed(t, a, shopadapter.Query{Refs: []shopadapter.Ref{ref}})[p.ID]
			if !slices.Contains(o.Variants, want) {
				t.Errorf("the variants are %+v, want %+v among them", o.Variants, want)
			}
		})
	}
}

// A copy that the merchant made of a product, and a category that has another name now, are no
// change of the listing.
func TestObserveWhatIsNoChange(t *testing.T) {
	f, a := opened(t)
	p := sample("original", 2)
	_, l := must(t, a, refOf(p), p, shopadapter.AllFields)
	twin := *f.Find(l.ID)
	f.NextPost++
	twin.ID, twin.Slug = f.NextPost, "twin"
	f.Posts[twin.ID] = &twin
	for _, c := range f.Categories {
		if c["id"] == int(twin.Categories[0]) {
			c["name"], c["slug"] = "Another name", "another-name"
		}
	}
	all := observed(t, a, shopadapter.Query{})
	if len(all) != 1 {
		t.Fatalf("%d listings are observed, want 1", len(all))
	}
	got := all[p.ID]
	if got.Ref.Listing != l.ID {
		t.Errorf("the listing is %s, want %s", got.Ref.Listing, l.ID)
	}
	if want := editable; got.Compared != want {
		t.Errorf("compared is %s, want %s", got.Compared, want)
	}
	if got.Edited != shopadapter.NoFields {
		t.Errorf("edited is %s, want nothing", got.Edited)
	}
}

// In a shop that counts no stock at all no quantity is observed. One variant that is not counted is
// another matter.
func TestObserveStockThatTheShopDoesNotCount(t *testing.T) {
	for _, off := range []bool{false, true} {
		f := newFakeShop(t)
		f.Uncounting = off
		a := f.connect(t, quickly(), nil)
		p := sample("uncounted", 2)
		ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
		f.Posts[f.Children(f.Find(ref.Listing).ID)[0]].Managed = false
		want := shopadapter.NoFields
		if off {
			want = shopadapter.FieldStock
		}
		o := observed(t, a, shopadapter.Query{})[p.ID]
		if o.Untold != want {
			t.Errorf("stock management is off: %t: untold is %s, want %s", off, o.Untold, want)
		}
	}
}
