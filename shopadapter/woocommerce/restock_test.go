package woocommerce

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/fakeshop"
)

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

func mustRestock(
	t *testing.T, a *adapter, ref shopadapter.Ref, p shopadapter.Product,
) (shopadapter.Ref, shopadapter.Listing) {
	t.Helper()
	ref, l, err := restock(t, a, ref, p)
	if err != nil {
		t.Fatalf("restock: %v", err)
	}
	return ref, l
}

// A Restock writes the groups of figures that it is asked to write, and no other.
func TestRestockGroups(t *testing.T) {
	for _, n := range []int{1, 3} {
		f, a := opened(t)
		p := sample("groups", n)
		ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
		f.Requests()
		first := f.Find(shopadapter.ListingID(l.ShopIDs()[p.Variants[0].ID]))
		before := f.seen(t, p.ID)
		for _, changed := range []shopadapter.Fields{
			shopadapter.NoFields, shopadapter.FieldPrice, shopadapter.FieldStock,
			shopadapter.AllFields,
		} {
			q := restocked(p, int(changed))
			price, quantity := first.Price, first.Quantity
			if changed.Has(shopadapter.FieldPrice) {
				price = q.Variants[0].Price
			}
			if changed.Has(shopadapter.FieldStock) {
				quantity = int64(q.Variants[0].Quantity)
			}
			l, err := a.Publish(t.Context(), ref, q.OnlyFigures(), changed)
			if ref.State = l.State; err != nil || first.Price != price || first.Quantity != quantity {
				t.Errorf("%d variants, %s: %v, price %s, quantity %d, want no error, %s and %d",
					n, changed, err, first.Price, first.Quantity, price, quantity)
			}
			if changed == shopadapter.NoFields {
				f.Requests()
			}
		}
		if diff := cmp.Diff(before, f.seen(t, p.ID), cmpopts.IgnoreFields(laws.SeenVariant{}, "Price",
			"Quantity")); diff != "" {
			t.Errorf("more changed than figures (-before +after):\n%s", diff)
		}
	}
}

// The State that a Restock leaves is the one that Publish with the same figures leaves, with
// pictures and category, so that what follows makes no difference.
func TestRestockLeavesTheStateOfAPublish(t *testing.T) {
	for _, n := range []int{1, 3} {
		f, a := opened(t)
		p := sample("state", n)
		p.Images = pictureURLs(1, 2)
		ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
		p = restocked(p, 1)
		after, _ := mustRestock(t, a, ref, p)
		published, _ := must(t, a, ref, p, figureGroups)
		if diff := cmp.Diff(string(published.State), string(after.State)); diff != "" {
			t.Errorf("%d variants, the State (-want +got):\n%s", n, diff)
		}
		if err := f.Edit(ref.Listing, shopadapter.FieldDescription); err != nil {
			t.Fatal(err)
		}
		after, _ = mustRestock(t, a, after, restocked(p, 2))
		uploads := f.Uploads()
		p = restocked(p, 3)
		p.Title, p.Description = "Another title", "<p>Other words.</p>"
		_, l := must(t, a, after, p, shopadapter.AllFields)
		if s := f.seen(t, p.ID); l.Kept != shopadapter.FieldDescription || s.Title != p.Title || len(s.Images) != 2 ||
			f.Uploads() != uploads ||
			f.inconsistent(p) != "" {
			t.Errorf("%d variants: kept %s, title %q, %d pictures, %d uploads, want the description, %q, 2 and %d: %s",
				n, l.Kept, s.Title, len(s.Images), f.Uploads(), p.Title, uploads, f.inconsistent(p))
		}
	}
}

// What the merchant did in the shop is found by the look, and nothing is written.
func TestRestockAfterTheMerchant(t *testing.T) {
	for _, tt := range []struct {
		name     string
		variants int
		does     func(*fakeShop, *fakeshop.Post)
		off      bool // the caller did not leave it on sale
		want     error
	}{
		{name: "one in the trash", variants: 1, does: (*fakeShop).Trash, want: shopadapter.ErrGone},
		{name: "several in the trash", variants: 2, does: (*fakeShop).Trash, want: shopadapter.ErrGone},
		{name: "a draft", variants: 1, does: status("draft"), want: shopadapter.ErrHidden},
		{name: "several as a draft", variants: 2, does: status("draft"), want: shopadapter.ErrHidden},
		{name: "private", variants: 1, does: status("private"), want: shopadapter.ErrHidden},
		{name: "several in private", variants: 2, does: status("private"), want: shopadapter.ErrHidden},
		{name: "a draft of the adapter's", variants: 2, does: status("draft"), off: true, want: shopadapter.ErrWhole},
		{
			name: "deleted for good", variants: 1, does: func(f *fakeShop, p *fakeshop.Post) { f.Erase(p.ID) },
			want: shopadapter.ErrWhole,
		},
		{
			name: "without its stamp", variants: 1, does: func(_ *fakeShop, p *fakeshop.Post) { clear(p.Meta) },
			want: shopadapter.ErrWhole,
		},
		{
			name: "never finished", variants: 2, does: restamped(func(s *note) { s.Done = false }),
			want: shopadapter.ErrWhole,
		},
		{
			name: "for another variant", variants: 1, does: restamped(func(s *note) { s.Variant = "other" }),
			want: shopadapter.ErrWhole,
		},
		{
			name: "of another type", variants: 2, does: func(_ *fakeShop, p *fakeshop.Post) { p.Kind = "simple" },
			want: shopadapter.ErrWhole,
		},
		{name: "of another type, of one variant", variants: 1, does: func(_ *fakeShop,
			p *fakeshop.Post,
		) {
			p.Kind = "external"
		}, want: shopadapter.ErrWhole},
		{
			name: "a variation deleted", variants: 3,
			does: func(f *fakeShop, p *fakeshop.Post) { f.Erase(f.Children(p.ID)[1]) }, want: shopadapter.ErrWhole,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, a := opened(t)
			p := sample("away", tt.variants)
			ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
			tt.does(f, f.Find(ref.Listing))
			f.Requests()
			l, err := a.Publish(
				t.Context(),
				shopadapter.Ref{Publication: p.ID, Listing: ref.Listing, State: ref.State, OnSale: !tt.off},
				restocked(p, 1).OnlyFigures(),
				figureGroups,
			)
			if !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if n := f.puts(); n != 0 {
				t.Errorf("%d requests write the product, want none", n)
			}
			if l.ID != "" {
				ref.State = l.State
			}
			// Publish comes to the same, and mends it once it is asked to.
			left := ref
			left.OnSale = !tt.off
			if _, err := a.Publish(t.Context(), left, p, shopadapter.AllFields); !errors.Is(tt.want, shopadapter.ErrWhole) &&
				!errors.Is(err, tt.want) {
				t.Errorf("publish: %v, want %q", err, tt.want)
			}
			if errors.Is(tt.want, shopadapter.ErrHidden) {
				must(t, a, ref, p, figureGroups)
				f.wantConsistent(t, p)
			}
		})
	}
}

// restamped changes the stamp of a product.
func restamped(change func(*note)) func(*fakeShop, *fakeshop.Post) {
	return func(_ *fakeShop, p *fakeshop.Post) {
		s := readNote(p.Meta[noteKey].(string))
		change(&s)
		p.Meta[noteKey] = kit.Encode(s)
	}
}

func status(s string) func(*fakeShop, *fakeshop.Post) {
	return func(_ *fakeShop, p *fakeshop.Post) { p.Status = s }
}

// A Restock leaves alone what is the merchant's: a variation added by hand, the texts of a product
// taken over, and a sale, as far as WooCommerce keeps it.
func TestRestockLeavesTheMerchantsOwn(t *testing.T) {
	for _, n := range []int{1, 3} {
		for price, want := range map[string]string{"30.00": "15.00", "15.00": ""} {
			f, a := opened(t, "ADOPT", "sku")
			p := sample("own", n)
			id := f.AddForeign(p)
			own := f.Find(id)
			own.Name = "My lamp"
			ref, l := must(t, a, refOf(p), p, shopadapter.AllFields)
			if ref.Listing != id {
				t.Fatalf("product %s was not taken over", id)
			}
			sold := f.Find(shopadapter.ListingID(l.ShopIDs()[p.Variants[0].ID]))
			sold.Sale, sold.SaleTo = "15.00", "2026-12-24T00:00:00"
			extra := &fakeshop.Post{
				ID:         9000,
				Parent:     own.ID,
				Kind:       "variation",
				Status:     "publish",
				SKU:        "MINE",
				Price:      "1.00",
				Backorders: "no",
				Meta:       map[string]any{},
			}
			if n > 1 {
				f.Posts[extra.ID] = extra
			}
			p.Variants[0].Price, p.Variants[0].Quantity, p.Variants[0].Backorders = price, 0, true
			mustRestock(t, a, ref, p)
			if sold.Price != price || sold.Sale != want || sold.SaleTo != "2026-12-24T00:00:00" || sold.Backorders != "yes" ||
				sold.Stock != "onbackorder" {
				t.Errorf("%d variants: price %s, sale %q until %s, backorders %s, %s, want %s, %q, 2026-12-24, yes, onbackorder",
					n, sold.Price, sold.Sale, sold.SaleTo, sold.Backorders, sold.Stock, price, want)
			}
			if own.Name != "My lamp" || extra.Price != "1.00" || !strings.HasPrefix(extra.SKU, "MINE") {
				t.Errorf("%d variants: title %q, own variation %+v, want both as the merchant left them", n, own.Name, extra)
			}
		}
	}
}
