package woocommerce

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/fakeshop"
)

// sample is a product with n variants and no pictures.
func sample(id string, n int) shopadapter.Product {
	p := laws.Sample(shopadapter.PublicationID(id), n)
	p.Images = nil
	return p
}

// must publishes where nothing stands in the way, and makes the ref for the next call.
func must(
	t testing.TB, a *adapter, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (shopadapter.Ref, shopadapter.Listing) {
	t.Helper()
	l, err := a.Publish(t.Context(), ref, p, changed)
	if err != nil {
		t.Fatalf("publish: %v", err)
	}
	return shopadapter.Ref{Publication: ref.Publication, Listing: l.ID, State: l.State}, l
}

func refOf(p shopadapter.Product) shopadapter.Ref { return shopadapter.Ref{Publication: p.ID} }

// seen is the only listing of a publication.
func (f *fakeShop) seen(t testing.TB, id shopadapter.PublicationID) laws.Seen {
	t.Helper()
	products, err := f.Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	products = slices.DeleteFunc(products, func(s laws.Seen) bool { return s.Publication != id })
	if len(products) != 1 {
		t.Fatalf("the shop holds %d listings of %s, want 1", len(products), id)
	}
	return products[0]
}

func (f *fakeShop) wantRequests(t testing.TB, what string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, f.Requests()); diff != "" {
		t.Errorf("requests for %s (-want +got):\n%s", what, diff)
	}
}

// restocked is p with other figures, the n-th ones.
func restocked(p shopadapter.Product, n int) shopadapter.Product {
	p.Variants = slices.Clone(p.Variants)
	for i := range p.Variants {
		p.Variants[i].Price = fmt.Sprintf("%d.%02d", 30+n, i%100)
		p.Variants[i].Quantity = 10*n + i
	}
	return p
}

// restock is a Restock with p's figures, of a listing that is on sale.
func restock(
	t *testing.T, a *adapter, ref shopadapter.Ref, p shopadapter.Product,
) (shopadapter.Ref, shopadapter.Listing, error) {
	t.Helper()
	ref.OnSale = true
	l, err := a.Publish(t.Context(), ref, p.OnlyFigures(), figureGroups)
	if l.ID != "" {
		ref.State = l.State
	}
	return ref, l, err
}

func status(s string) func(*fakeShop, *fakeshop.Post) {
	return func(_ *fakeShop, p *fakeshop.Post) { p.Status = s }
}

// variantOf is one more variant of a sample.
func variantOf(p shopadapter.Product, name, color, size string) shopadapter.Variant {
	v := p.Variants[0]
	v.ID, v.SKU, v.Price, v.Quantity, v.EAN = name, "LAMP-"+strings.ToUpper(name), "88.95", 7, ""
	v.Options = []shopadapter.Option{{Name: "Color", Value: color}, {Name: "Size", Value: size}}
	return v
}

// wantConsistent wants a customer to be able to buy p as it is.
func (f *fakeShop) wantConsistent(t testing.TB, p shopadapter.Product) {
	t.Helper()
	if broken := f.inconsistent(p); broken != "" {
		t.Error(broken)
	}
}

// inconsistent says what of p a customer could not buy as it is.
func (f *fakeShop) inconsistent(p shopadapter.Product) string {
	products, err := f.Observe(context.Background())
	if err != nil {
		return err.Error()
	}
	for _, s := range products {
		if s.Publication != p.ID {
			continue
		}
		byID := map[string]laws.SeenVariant{}
		for _, v := range s.Variants {
			if _, twice := byID[v.ID]; twice || v.ID == "" {
				return fmt.Sprintf("variant %q is there twice", v.ID)
			}
			byID[v.ID] = v
		}
		if len(byID) != len(p.Variants) || !s.OnSale {
			return fmt.Sprintf("%d variants, want %d; on sale: %t", len(byID), len(p.Variants), s.OnSale)
		}
		for _, v := range p.Variants {
			got := byID[v.ID]
			if got.SKU != v.SKU || got.Price != v.Price || got.Quantity != v.Quantity || len(got.Options) != len(v.Options) {
				return fmt.Sprintf("variant %s is %+v, want %+v", v.ID, got, v)
			}
		}
		return ""
	}
	return "the product is not there"
}

// The load on a shop with shared hosting is the number of requests.
func TestRequests(t *testing.T) {
	f, a := opened(t)
	if _, err := a.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.Requests()
	first := sample("first", 1)
	ref, _ := must(t, a, refOf(first), first, shopadapter.AllFields)
	f.wantRequests(
		t, "the first product of a process", "GET /products", "GET /products/categories", "POST /products",
		"PUT /products/"+string(ref.Listing),
	)

	single := sample("single", 1)
	ref, _ = must(t, a, refOf(single), single, shopadapter.AllFields)
	f.wantRequests(t, "a new product of one variant", "GET /products", "POST /products",
		"PUT /products/"+string(ref.Listing))
	single.Variants[0].Price = "21.00"
	ref, _ = must(t, a, ref, single, shopadapter.FieldPrice)
	f.wantRequests(t, "its price", "GET /products/"+string(ref.Listing), "PUT /products/"+string(ref.Listing))
	single.Title = "Another title"
	ref, _ = must(t, a, ref, single, shopadapter.FieldTitle)
	f.wantRequests(t, "its title", "GET /products/"+string(ref.Listing), "PUT /products/"+string(ref.Listing))
	must(t, a, ref, single, shopadapter.NoFields)
	f.wantRequests(t, "nothing", "GET /products/"+string(ref.Listing))

	many := sample("many", 90)
	ref, _ = must(t, a, refOf(many), many, shopadapter.AllFields)
	own := "/products/" + string(ref.Listing)
	f.wantRequests(t, "a new product of 90 variants", "GET /products", "GET /products", "POST /products",
		"POST "+own+"/variations/batch", "PUT "+own)
	many.Variants[7].Price = "99.95"
	ref.OnSale = true
	ref, _ = must(t, a, ref, many, shopadapter.FieldPrice)
	f.wantRequests(t, "a price", "GET "+own, "GET "+own+"/variations", "POST "+own+"/variations/batch")
	many.Variants[7].Quantity, many.Variants[8].Backorders = 77, true
	ref.OnSale = true
	ref, l := must(t, a, ref, many, shopadapter.FieldStock|shopadapter.FieldShipping)
	f.wantRequests(t, "a stock", "GET "+own, "GET "+own+"/variations", "POST "+own+"/variations/batch")
	if s := f.seen(t, "many"); !s.OnSale || len(s.Variants) != 90 || len(l.Variants) != 90 || l.URL == "" {
		t.Errorf("on sale %t with %d variants, want true with 90; the result names %d at %q, want 90 at an address",
			s.OnSale, len(s.Variants), len(l.Variants), l.URL)
	}
	if size := len(ref.State) / 90; size > 100 {
		t.Errorf("the state takes %d bytes a variant, want 100 at most", size)
	}

	pictured := sample("pictured", 3)
	pictured.Images = []string{laws.Image(1), laws.Image(2)}
	ref, _ = must(t, a, refOf(pictured), pictured, shopadapter.AllFields)
	own = "/products/" + string(ref.Listing)
	f.wantRequests(t, "a new product with pictures", "GET /products", "POST /products",
		"POST "+own+"/variations/batch", "PUT "+own)
}

// What the merchant adds to a product beside the text stays, and so does a copy that they make, which
// carries our metadata along.
func TestMerchantsOwn(t *testing.T) {
	f, a := opened(t)
	p := sample("kept", 3)
	ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
	own := f.Find(l.ID)
	setFeature(own, "Brand", "Acme")
	extra := f.add(&fakeshop.Post{
		Parent: own.ID, Kind: "variation", SKU: "MY-OWN", Price: "1.00", Managed: true, Quantity: 4,
		Options: map[string]string{"color": "Gold", "size": "40 cm"},
	})
	own.Attributes[0].Options = append(slices.Clone(own.Attributes[0].Options), "Gold")
	p.Variants = append(slices.Clone(p.Variants), variantOf(p, "fourth", "Pink", "50 cm"))
	ref, _ = must(t, a, ref, p, shopadapter.FieldVariants)
	want := map[string]shopadapter.Variant{"Color=Gold Size=40 cm": {SKU: "MY-OWN", Price: "1.00", Quantity: 4}}
	for _, v := range p.Variants {
		want["Color="+v.Options[0].Value+" Size="+v.Options[1].Value] = v
	}
	f.wantChoices(t, l.ID, want)
	if f.read(l.ID)["Brand"] != "Acme" || f.Posts[extra.ID] == nil {
		t.Errorf("a visitor reads %v, the variation is %v, want Brand and the variation as before",
			f.read(l.ID), f.Posts[extra.ID])
	}
	twin := *own
	twin.SKU, twin.Name = "COPY", "Mine"
	copied := f.add(&twin)
	must(t, a, ref, laws.Revise(p, 2), shopadapter.FieldTitle)
	hint := shopadapter.Ref{Publication: p.ID, Listing: shopadapter.ListingID(fmt.Sprint(copied.ID))}
	if _, err := a.Unpublish(t.Context(), hint, shopadapter.Delete); err != nil {
		t.Fatal(err)
	}
	if f.Posts[copied.ID] == nil || copied.Name != "Mine" || f.Posts[own.ID] != nil {
		t.Errorf("the copy is gone: %t, the original stays: %t, want both false",
			f.Posts[copied.ID] == nil, f.Posts[own.ID] != nil)
	}
}

// A plugin that changes what it is given is no merchant.
func TestShopRewritesTitles(t *testing.T) {
	f, a := opened(t)
	f.Rewrite = func(name string) string { return strings.ToUpper(name) + " ®" }
	p := sample("rewritten", 3)
	ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
	for i := range 3 {
		p.Title = fmt.Sprint("Title ", i)
		var l shopadapter.Listing
		if ref, l = must(t, a, ref, p, shopadapter.FieldTitle); l.Kept != 0 ||
			f.seen(t, p.ID).Title != fmt.Sprintf("TITLE %d ®", i) {
			t.Errorf("kept %s, title %q, want none and TITLE %d ®", l.Kept, f.seen(t, p.ID).Title, i)
		}
	}
}

func TestHostileText(t *testing.T) {
	f, a := opened(t)
	p := sample("hostile", 1)
	p.Title = `Tom & "Jerry's" <b> \n [gallery]`
	p.Description = `<p>[gallery ids="1"] C:\new &amp; <script>alert(1)</script></p>`
	ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
	s := f.seen(t, p.ID)
	if plain(s.Title) != p.Title {
		t.Errorf("the title is %q, want %q", plain(s.Title), p.Title)
	}
	if strings.ContainsAny(s.Description, `[]\`) || strings.Contains(s.Description, "<script") ||
		!strings.Contains(s.Description, "C:&#92;new") {
		t.Errorf("the description is %q, want no shortcode and no script, and its backslash", s.Description)
	}
	p.Description = "<p>Better.</p>"
	if _, l := must(t, a, ref, p, shopadapter.FieldDescription); l.Kept != 0 ||
		f.seen(t, p.ID).Description != p.Description {
		t.Errorf("kept %s, description %q, want none and %q", l.Kept, f.seen(t, p.ID).Description, p.Description)
	}
}

func TestRefusedByTheAdapter(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(p *shopadapter.Product)
		want   string
	}{
		{"a comma in the price", func(p *shopadapter.Product) { p.Variants[1].Price = "25,55" }, "25,55"},
		{"no price", func(p *shopadapter.Product) { p.Variants[1].Price = "" }, "decimal"},
		{"a SKU too long", func(p *shopadapter.Product) { p.Variants[1].SKU = strings.Repeat("x", 101) }, "100"},
		{"a SKU twice", func(p *shopadapter.Product) { p.Variants[1].SKU = strings.ToLower(p.Variants[0].SKU) }, p0},
		{"a choice twice", func(p *shopadapter.Product) { p.Variants[1].Options = p.Variants[0].Options }, "same options"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, a := opened(t)
			p := sample("faulty", 3)
			tt.change(&p)
			_, l := must(t, a, refOf(p), p, shopadapter.AllFields)
			if why := l.Refused[p.Variants[1].ID]; len(l.Refused) != 1 ||
				!strings.Contains(why, strings.ReplaceAll(tt.want, p0, p.Variants[0].ID)) {
				t.Errorf("refused %v, want %s alone, for %q", l.Refused, p.Variants[1].ID, tt.want)
			}
			if s := f.seen(t, p.ID); len(s.Variants) != 2 || !s.OnSale {
				t.Errorf("%d variants, on sale %t, want 2 and true", len(s.Variants), s.OnSale)
			}
			if got := f.Find(l.ID).Attributes[0].Options; tt.name == "a comma in the price" && slices.Contains(got, "Green") {
				t.Errorf("a customer is offered %v, want no Green: there is none", got)
			}
		})
	}
}

const p0 = "{the first variant}"

// A variation without a SKU shows that of its product, which is none of its own.
func TestVariantsWithoutSKU(t *testing.T) {
	for _, n := range []int{1, 3} {
		f := newFakeShop(t)
		p := sample("nameless", n)
		for i := range p.Variants {
			p.Variants[i].SKU = ""
		}
		ref, first := must(t, f.connect(t, quickly(), nil), refOf(p), p, shopadapter.AllFields)
		_, again := must(t, f.connect(t, quickly(), nil), refOf(p), p, shopadapter.AllFields)
		if diff := cmp.Diff(first.Variants, again.Variants); diff != "" || again.ID != ref.Listing {
			t.Errorf("listing %s again, want %s; variants (-want +got):\n%s", again.ID, ref.Listing, diff)
		}
		f.Requests()
		ref.State = nil
		must(t, f.connect(t, quickly(), nil), ref, p, shopadapter.FieldVariants)
		for _, line := range f.Requests() {
			if !strings.HasPrefix(line, "GET") {
				t.Errorf("got the request %s, want none but GET: nothing changed", line)
			}
		}
	}
}

// A sale that the merchant runs stays when the supplier's price changes.
// WooCommerce drops one that is no reduction any more.
func TestMerchantsSaleStays(t *testing.T) {
	for _, n := range []int{1, 3} {
		for price, want := range map[string]string{"30.00": "15.00", "15.00": ""} {
			f, a := opened(t)
			p := sample("sale", n)
			ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
			sold := f.Find(shopadapter.ListingID(l.ShopIDs()[p.Variants[0].ID]))
			sold.Sale = "15.00"
			p.Variants[0].Price = price
			must(t, a, ref, p, shopadapter.FieldPrice)
			if sold.Price != price || sold.Sale != want {
				t.Errorf("%d variants: price %s, sale %q, want %s and %q", n, sold.Price, sold.Sale, price, want)
			}
		}
	}
}

// Figures alone are written where the product stands as Publish left it. What the merchant did is found
// by the look, and nothing is written.
func TestFiguresAfterTheMerchant(t *testing.T) {
	for _, tt := range []struct {
		name     string
		variants int
		does     func(*fakeShop, *fakeshop.Post)
		want     error
	}{
		{"behind a password", 2, locked, shopadapter.ErrHidden},
		{"without its stamp", 1, func(_ *fakeShop, p *fakeshop.Post) { clear(p.Meta) }, shopadapter.ErrWhole},
		{"of another type", 1, func(_ *fakeShop, p *fakeshop.Post) { p.Kind = "external" }, shopadapter.ErrWhole},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, a := opened(t)
			p := sample("away", tt.variants)
			ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
			tt.does(f, f.Find(ref.Listing))
			f.Requests()
			if _, _, err := restock(t, a, ref, restocked(p, 1)); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			for _, line := range f.Requests() {
				if !strings.HasPrefix(line, "GET") {
					t.Errorf("got the request %s, want none that writes", line)
				}
			}
		})
	}
}
