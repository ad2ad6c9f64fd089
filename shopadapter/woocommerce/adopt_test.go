package woocommerce

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// A product of the merchant's own that was taken over is never deleted: it leaves the sale with the texts that it
// had, what the adapter added goes, and so does the note.
func TestAnAdoptedProductIsGivenBack(t *testing.T) {
	for _, variants := range []int{1, 3} {
		for _, how := range []shopadapter.Removal{shopadapter.TakeOffline, shopadapter.Delete} {
			for _, hinted := range []bool{true, false} {
				t.Run(fmt.Sprint(variants, how, hinted), func(t *testing.T) { giveBack(t, variants, how, hinted) })
			}
		}
	}
}

func giveBack(t *testing.T, variants int, how shopadapter.Removal, hinted bool) {
	f := newFakeShop(t)
	a := f.connect(t, quickly(), nil, "ADOPT", "sku")
	p := laws.Sample("adopted", variants)
	p.Images = nil
	own := p
	own.Title = "My own lamp"
	id := f.AddForeign(own)
	// look is the merchant's product, with the shop's ids of its variants alone.
	look := func() laws.Seen {
		t.Helper()
		all, err := f.Observe(t.Context())
		i := slices.IndexFunc(all, func(s laws.Seen) bool { return s.Listing == id })
		if err != nil || len(all) != 1 || i < 0 {
			t.Fatalf("the shop holds %+v, %v, want the merchant's product alone", all, err)
		}
		seen := laws.Seen{OnSale: all[i].OnSale, Title: all[i].Title, Description: all[i].Description}
		if how == shopadapter.Delete {
			seen.Publication = all[i].Publication
			for _, v := range all[i].Variants {
				seen.Variants = append(seen.Variants, laws.SeenVariant{ShopID: v.ShopID})
			}
		}
		return seen
	}
	want, ref := look(), shopadapter.Ref{Publication: p.ID}
	want.OnSale = false
	takeOver := func(p shopadapter.Product) shopadapter.Listing {
		t.Helper()
		l, err := a.Publish(t.Context(), ref, p, shopadapter.AllFields)
		if seen := look(); err != nil || l.ID != id || seen.Title != want.Title || !seen.OnSale {
			t.Fatalf("got %+v, %v, want %s taken over with its title", l, err, id)
		}
		return l
	}
	l, more := takeOver(p), p
	if variants > 1 {
		more.Variants = laws.Sample("adopted", variants+1).Variants
		l = takeOver(more)
	}
	if hinted {
		ref.Listing, ref.State = l.ID, l.State
	}
	for range 2 {
		_, err := a.Unpublish(t.Context(), ref, how)
		if diff := cmp.Diff(want, look()); err != nil || diff != "" {
			t.Errorf("given back: %v\n%s", err, diff)
		}
	}
	ref = shopadapter.Ref{Publication: p.ID}
	takeOver(p)
}
