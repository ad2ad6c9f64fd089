package woocommerce

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
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
			name: "never finished", variants: 2, does: restamped(func(s *note) { s.Product = "" }),
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
