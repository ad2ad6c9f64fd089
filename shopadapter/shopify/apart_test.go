package shopify_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

// forOperation answers one kind of request.
func forOperation(name string, answer func(string) *http.Response) func(string) *http.Response {
	return func(operation string) *http.Response {
		if operation == name {
			return answer(operation)
		}
		return nil
	}
}

// TestManyVariantsApart: those of further pages are observed and brought back too; the merchant's
// own variant stays off.
func TestManyVariantsApart(t *testing.T) { inVirtualTime(manyVariantsApart)(t) }

func manyVariantsApart(t *testing.T) {
	f := newFakeShop(t)
	a := f.open(t)
	p := lamp("p", 210)
	ref, l := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
	if err := f.byHand(l.ID, func(held *fakeProduct) {
		for _, v := range held.variants {
			v.off = true
		}
		mine := *held.variants[0]
		mine.id, mine.metafields, mine.values = f.id("ProductVariant"), nil, slices.Clone(mine.values)
		mine.values[0] = "Of my own"
		held.variants = append(held.variants, &mine)
	}); err != nil {
		t.Fatal(err)
	}
	for i, v := range observe(t, a, shopadapter.Query{})["p"].Variants {
		if v.OnSale {
			t.Fatalf("variant %d: got it on sale, want it not", i)
		}
	}
	ref.Revive = true
	publish(t, a, ref, p, shopadapter.FieldVariants)
	for i, v := range f.sole(t).variants {
		if mine := i == len(p.Variants); v.off != mine {
			t.Fatalf("variant %d: off: got %t, want %t", i, v.off, mine)
		}
	}
}
