package woocommerce

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/fakeshop"
)

// editable are the texts whose edits the adapter keeps.
const editable = shopadapter.FieldTitle | shopadapter.FieldDescription | shopadapter.FieldImages |
	shopadapter.FieldCategory

func locked(_ *fakeShop, p *fakeshop.Post) { p.Password = "open sesame" }

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

// A SKU of the merchant's own is never taken over, and the message says whose it is. Once the merchant
// gives it up the product is made.
func TestBlockedBySKU(t *testing.T) {
	for _, tt := range []struct {
		name     string
		variants int
		sku      string
		trash    bool
		want     []string
	}{
		{"simple", 1, "LAMP-1", false, []string{"your own product #101", "«My lamp»", "ADOPT=sku"}},
		{"variable", 3, "LAMP-1", false, []string{"your own product #101", "«My lamp»", "ADOPT=sku"}},
		{"with a comma", 1, "LAMP,SMALL", false, []string{"the SKU LAMP,SMALL is used by your own product #101"}},
		{"in the trash", 1, "LAMP,SMALL", true, []string{"your product #101 «My lamp» in the trash", "delete it"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, a := opened(t)
			p, own := sample("twin", tt.variants), sample("twin", tt.variants)
			p.Variants[0].SKU, own.Variants[0].SKU, own.Title = tt.sku, strings.ToLower(tt.sku), "My lamp"
			if strings.Contains(tt.sku, ",") {
				own.Variants[0].SKU = tt.sku
			}
			id := f.AddForeign(own)
			if tt.trash {
				f.TrashByHand(id)
			}
			before := *f.Find(id)
			_, err := a.Publish(t.Context(), refOf(p), p, shopadapter.AllFields)
			e := shopadapter.Explain(err)
			if e == nil || e.Kind != shopadapter.Blocked || e.ShopWide {
				t.Fatalf("got %v, want an error that is blocked", err)
			}
			for _, text := range tt.want {
				if !strings.Contains(e.Error(), text) {
					t.Errorf("got the message %s, want %q in it", e, text)
				}
			}
			if diff := cmp.Diff(before, *f.Find(id)); diff != "" {
				t.Errorf("the merchant's product changed (-before +after):\n%s", diff)
			}
			for _, child := range append(f.Children(before.ID), before.ID) {
				f.Erase(child)
			}
			must(t, a, refOf(p), p, shopadapter.AllFields)
			f.wantConsistent(t, p)
		})
	}
}

// The SKU of a variant that is not to be sold stands in nobody's way.
func TestTheSKUOfAVariantThatIsNotSold(t *testing.T) {
	f, a := opened(t)
	p := sample("unsold", 3)
	own := sample("own", 1)
	own.Variants[0].SKU = p.Variants[0].SKU
	f.AddForeign(own)
	p.Variants[0].Price = "none"
	_, l := must(t, a, refOf(p), p, shopadapter.AllFields)
	if s := f.seen(t, p.ID); len(l.Refused) != 1 || len(s.Variants) != 2 || !s.OnSale {
		t.Errorf("refused %v, %d variants, on sale %t, want one, 2 and true", l.Refused, len(s.Variants), s.OnSale)
	}
}

// A look-up of many long SKUs takes several requests: web servers refuse an address of 8 KB.
func TestAddressesAreShort(t *testing.T) {
	f, a := opened(t)
	longest := 0
	f.Before = func(req *http.Request, _ int) error {
		longest = max(longest, len(req.URL.String()))
		return nil
	}
	p := sample("long", 60)
	for i := range p.Variants {
		p.Variants[i].SKU = fmt.Sprint(strings.Repeat("ü", 60), i)
	}
	must(t, a, refOf(p), p, shopadapter.AllFields)
	if f.wantConsistent(t, p); longest > 4096 {
		t.Errorf("an address has %d bytes, want 4096 at most", longest)
	}
}

// One variant of a listing that is on sale gets a SKU of the merchant's own, or one that the merchant
// gave to the product itself: the others stay on sale.
func TestOneVariantBlockedBySKU(t *testing.T) {
	for _, itself := range []bool{false, true} {
		f, a := opened(t)
		p := sample("family", 3)
		ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
		id, want := l.ID, "the product itself has"
		if f.Find(id).SKU = "LAMP-NEW"; !itself {
			other := sample("own", 1)
			other.Variants[0].SKU, f.Find(id).SKU = "LAMP-NEW", ""
			id, want = f.AddForeign(other), "your own product"
		}
		p.Variants[2].SKU, p.Variants[0].Price = "LAMP-NEW", "9.99"
		_, l = must(t, a, ref, p, shopadapter.AllFields)
		if why := l.Refused[p.Variants[2].ID]; len(l.Refused) != 1 || !strings.Contains(why, "#"+string(id)) ||
			!strings.Contains(why, want) {
			t.Errorf("refused %v, want %s alone, for product #%s: %s", l.Refused, p.Variants[2].ID, id, want)
		}
		if s := f.seen(t, p.ID); len(s.Variants) != 2 || !s.OnSale {
			t.Errorf("%d variants, on sale %t, want 2 and true", len(s.Variants), s.OnSale)
		}
	}
}

func TestAdoptRefuses(t *testing.T) {
	for _, tt := range []struct {
		name           string
		supplier, mine int // variants
		want           string
	}{
		{"a simple one for several", 3, 1, "cannot be taken over: it is simple"},
		{"a variation for one", 1, 3, "cannot be taken over: it is variable"},
		{"one with more variations", 2, 3, "is none of the supplier's"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, a := opened(t, "ADOPT", "sku")
			p, own := sample("a", 3), sample("a", 3)
			p.Variants, own.Variants = p.Variants[:tt.supplier], own.Variants[:tt.mine]
			if tt.supplier == 1 {
				p.Options, p.Variants[0].Options = nil, nil
			}
			f.AddForeign(own)
			before := len(f.Posts)
			_, err := a.Publish(t.Context(), refOf(p), p, shopadapter.AllFields)
			if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Blocked ||
				!strings.Contains(e.Error(), tt.want) || len(f.Posts) != before {
				t.Errorf("got %v, and %d posts, want an error that is blocked with %q, and %d", err, len(f.Posts), tt.want, before)
			}
			for _, post := range f.Posts {
				if post.Meta[noteKey] != nil {
					t.Errorf("our stamp is on %+v, want it off", post)
				}
			}
		})
	}
}

// A product that was taken over keeps its texts and the merchant's words for its choices, also when the
// store and the setting are lost. It is given back whole: as a draft, without a trace of ours, and the
// merchant is told.
func TestAdopted(t *testing.T) {
	f := newFakeShop(t)
	p := sample("returned", 3)
	id := f.AddForeign(p)
	if err := f.RenameOption(id, "Color", "Farbe"); err != nil {
		t.Fatal(err)
	}
	merchants := f.Children(f.Find(id).ID)
	a := f.connect(t, quickly(), nil, "ADOPT", "sku")
	if _, l := must(t, a, refOf(p), p, shopadapter.AllFields); l.ID != id || l.Kept != editable {
		t.Errorf("listing %s, kept %s, want %s and %s", l.ID, l.Kept, id, editable)
	}
	// The supplier drops a variant of the merchant's, and adds one.
	dropped := f.Find(shopadapter.ListingID(fmt.Sprint(merchants[2])))
	p.Variants = []shopadapter.Variant{p.Variants[0], p.Variants[1], variantOf(p, "added", "Pink", "1 m")}
	ref, _ := must(t, f.connect(t, quickly(), nil), refOf(p), p, shopadapter.AllFields)
	if broken := f.inconsistent(p); broken != "" || f.Find(id).Attributes[0].Name != "Farbe" {
		t.Fatalf("the attributes are %v, want Farbe first: %s", f.Find(id).Attributes, broken)
	}
	if f.Posts[dropped.ID] == nil || dropped.Status != "private" || dropped.Meta[noteKey] != nil {
		t.Errorf("the merchant's variation that the supplier dropped is %+v, want it private, without our stamp", dropped)
	}
	// The merchant's variations would go with a change of type.
	single := sample("returned", 1)
	if _, err := a.Publish(t.Context(), ref, single, shopadapter.AllFields); shopadapter.Explain(err) == nil ||
		shopadapter.Explain(err).Kind != shopadapter.Blocked {
		t.Errorf("turned: got %v, want an error that is blocked", err)
	}
	note, err := a.Unpublish(t.Context(), ref, shopadapter.Delete)
	if err != nil || !strings.Contains(note, "#"+string(id)) || !strings.Contains(note, "your own") {
		t.Errorf("withdrawn with the note %q, %v, want one that names #%s as your own", note, err, id)
	}
	if diff := cmp.Diff(merchants, f.Children(f.Find(id).ID)); diff != "" || f.Find(id).Status != "draft" {
		t.Errorf("a %s, want a draft; the merchant's variations (-want +got):\n%s", f.Find(id).Status, diff)
	}
}

// The hint is lost, and the listing was made under a SKU that is none of today's. It shows up at
// the variations and goes on.
func TestShapeChangedWhileTheStoreWasLost(t *testing.T) {
	for _, sizes := range [][2]int{{1, 3}, {3, 1}} {
		t.Run(fmt.Sprint(sizes), func(t *testing.T) {
			f := newFakeShop(t)
			p, q := sample("lost", sizes[0]), sample("lost", sizes[1])
			ref, _ := must(t, f.connect(t, quickly(), nil), refOf(p), p, shopadapter.AllFields)
			again, _ := must(t, f.connect(t, quickly(), nil), refOf(q), q, shopadapter.AllFields)
			if again.Listing != ref.Listing || f.inconsistent(q) != "" {
				t.Errorf("listing %s again, want %s: %s", again.Listing, ref.Listing, f.inconsistent(q))
			}
			if products, _ := f.Observe(t.Context()); len(products) != 1 {
				t.Errorf("%d products, want 1", len(products))
			}
		})
	}
}

// A draft that waits for the merchant is gone once it is in the trash, and stays private.
func TestDraftsOfTheMerchant(t *testing.T) {
	for _, trash := range []bool{true, false} {
		f, a := opened(t)
		p := sample("draft", 2)
		p.Draft = true
		ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
		if f.Find(l.ID).Status = "private"; trash {
			f.TrashByHand(l.ID)
		}
		again, err := a.Publish(t.Context(), ref, p, shopadapter.AllFields)
		if errors.Is(err, shopadapter.ErrGone) != trash || again.Draft == trash ||
			!trash && f.Find(l.ID).Status != "private" {
			t.Errorf("in the trash %t: got %v, a draft %t, %s", trash, err, again.Draft, f.Find(l.ID).Status)
		}
	}
}

// A product in the trash, which keeps its SKU, comes back with its variations where the store is lost.
func TestTrash(t *testing.T) {
	f, a := opened(t)
	p := sample("trashed", 3)
	ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
	f.TrashByHand(l.ID)
	back, m := must(t, f.connect(t, quickly(), nil), refOf(p), p, shopadapter.AllFields)
	if back.Listing != ref.Listing || f.inconsistent(p) != "" {
		t.Errorf("came back as listing %s, want %s: %s", back.Listing, ref.Listing, f.inconsistent(p))
	}
	if diff := cmp.Diff(l.Variants, m.Variants); diff != "" {
		t.Errorf("variations were made anew (-want +got):\n%s", diff)
	}
}

// SKUs of any kind are found again over plain http, where the address is part of what is signed; a
// stale hint leads to a look-up.
func TestOddSKUsOverHTTP(t *testing.T) {
	for _, sku := range []string{"50% off", "a%41b", "a  b", "ü/1, a", "a+b c", "A,B", `"q'`, "日本"} {
		f := newFakeShop(t)
		f.Base = "http://shop.example.com"
		a := f.connect(t, quickly(), nil)
		p := sample("odd", 1)
		p.Variants[0].SKU = sku
		ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
		ref.Listing, ref.State = "9", nil
		if _, again := must(t, a, ref, p, shopadapter.AllFields); again.ID != l.ID || len(f.Posts) != 1 {
			t.Errorf("%q: listing %s of %d, want %s alone", sku, again.ID, len(f.Posts), l.ID)
		}
	}
}

// What is on sale is listed so with its address, and what is not is not: drafts, and what the merchant
// hid in the catalogue or behind a password. It comes back once it is asked for.
func TestListingsTellWhatIsOnSale(t *testing.T) {
	for name, tt := range map[string]struct {
		does   func(*fakeShop, *fakeshop.Post)
		listed bool
		onSale bool
	}{
		"published":                {status("publish"), true, true},
		"a draft":                  {status("draft"), true, false},
		"private":                  {status("private"), true, false},
		"to come":                  {status("future"), true, false},
		"in the trash":             {(*fakeShop).Trash, false, false},
		"behind a password":        {locked, true, false},
		"hidden in the catalogue":  {func(_ *fakeShop, p *fakeshop.Post) { p.Visibility = "hidden" }, true, false},
		"found in searches alone":  {func(_ *fakeShop, p *fakeshop.Post) { p.Visibility = "search" }, true, true},
		"in the catalogue, no SKU": {func(_ *fakeShop, p *fakeshop.Post) { p.Visibility = "catalog" }, true, true},
	} {
		f, a := opened(t)
		p := sample("listed", 2)
		ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
		tt.does(f, f.Find(l.ID))
		o, listed := observed(t, a, shopadapter.Query{})[p.ID]
		if listed != tt.listed || o.OnSale != tt.onSale || (o.URL != "") != tt.onSale {
			t.Errorf("%s: listed %t, on sale %t at %q, want %t and %t", name, listed, o.OnSale, o.URL, tt.listed, tt.onSale)
		}
		if tt.listed {
			must(t, a, ref, p, shopadapter.FieldPrice)
			f.wantConsistent(t, p)
			if o := observed(t, a, shopadapter.Query{})[p.ID]; !o.OnSale {
				t.Errorf("%s: it is not on sale once it was asked for", name)
			}
		}
	}
}

// A list of all goes over pages, names each publication once, and neither copies nor products with a
// note of no sense: 44 requests for 1,000 products of three variants.
func TestList(t *testing.T) {
	f, a := opened(t)
	for i := range 1000 {
		id := f.NextPost + 1
		note := newNote(shopadapter.PublicationID(fmt.Sprint("stocked-", i)))
		note.Product = kit.ProductID(fmt.Sprint(id))
		own := f.add(&fakeshop.Post{Kind: "variable", Meta: map[string]any{noteKey: kit.Encode(note)}})
		for n := range 3 {
			f.add(&fakeshop.Post{Parent: own.ID, Kind: "variation", SKU: fmt.Sprint("s", i, "-", n), Price: "5.00"})
		}
	}
	if _, err := a.shop.Get(t.Context(), true); err != nil { // asked for once in a while
		t.Fatal(err)
	}
	f.Requests()
	variants := 0
	for _, o := range observed(t, a, shopadapter.Query{}) {
		variants += len(o.Variants)
	}
	if got := len(f.Requests()); variants != 3000 || got != 44 {
		t.Errorf("%d variants in %d requests, want 3000 in 44", variants, got)
	}
	twin := *f.Find("101")
	f.add(&twin)
	young := f.add(&fakeshop.Post{Kind: "simple", Meta: map[string]any{noteKey: kit.Encode(newNote("stocked-1"))}})
	f.add(&fakeshop.Post{Kind: "simple", Meta: map[string]any{noteKey: "no stamp"}})
	all := observed(t, a, shopadapter.Query{})
	if o := all["stocked-1"]; len(all) != 1000 || o.Ref.Listing == shopadapter.ListingID(fmt.Sprint(young.ID)) {
		t.Errorf("%d listings, stocked-1 is %s, want 1000 and the finished one", len(all), o.Ref.Listing)
	}
}

// What the merchant does to a variation is observed as it stands, and a write puts figures and SKU right.
func TestObserveWhatTheMerchantDoes(t *testing.T) {
	for name, tt := range map[string]struct {
		do   func(p, v *fakeshop.Post)
		want func(*shopadapter.ListedVariant)
	}{
		"nothing": {func(_, _ *fakeshop.Post) {}, func(*shopadapter.ListedVariant) {}},
		"stock is not counted": {
			func(_, v *fakeshop.Post) { v.Managed = false },
			func(o *shopadapter.ListedVariant) { o.Quantity, o.Uncounted = 0, true },
		},
		"stock is counted for the product as a whole": {
			func(p, v *fakeshop.Post) { v.Managed, p.Managed, p.Quantity = false, true, 77 },
			func(o *shopadapter.ListedVariant) { o.Quantity, o.Uncounted = 77, true },
		},
		"backorders, and the customer is told": {
			func(_, v *fakeshop.Post) { v.Backorders = "notify" },
			func(o *shopadapter.ListedVariant) { o.Backorders = true },
		},
		"a price for a sale": {func(_, v *fakeshop.Post) { v.Sale = "1.00" }, func(*shopadapter.ListedVariant) {}},
		"neither price nor SKU": {
			func(_, v *fakeshop.Post) { v.Price, v.SKU = "", "" },
			func(o *shopadapter.ListedVariant) { o.Price, o.SKU = "", "" },
		},
	} {
		for _, off := range []bool{false, true} { // a shop that counts no stock at all
			f := newFakeShop(t)
			p := sample("watched", 2)
			ref, _ := must(t, f.connect(t, quickly(), nil), refOf(p), p, shopadapter.AllFields)
			child := f.Posts[f.Children(f.Find(ref.Listing).ID)[0]]
			tt.do(f.Find(ref.Listing), child)
			want := shopadapter.ListedVariant{
				ShopID: fmt.Sprint(child.ID), SKU: p.Variants[0].SKU, Price: p.Variants[0].Price,
				Quantity: p.Variants[0].Quantity, OnSale: true,
			}
			tt.want(&want)
			f.Uncounting = off
			a := f.connect(t, quickly(), nil)
			o := observed(t, a, shopadapter.Query{Refs: []shopadapter.Ref{ref}})[p.ID]
			if !slices.Contains(o.Variants, want) || (o.Untold != 0) != (off && want.Uncounted) {
				t.Errorf("%s: the variants are %+v, untold %s, want %+v among them", name, o.Variants, o.Untold, want)
			}
			if must(t, a, ref, p, shopadapter.FieldVariants|figureGroups); !off {
				f.wantConsistent(t, p)
			}
		}
	}
}
