package shopify_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
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
func TestManyVariantsApart(t *testing.T) {
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

// TestAVariantThatCannotComeBack says so, and a lost answer is another try.
func TestAVariantThatCannotComeBack(t *testing.T) {
	for _, tc := range []struct {
		name, body string
		kind       shopadapter.Kind
		says       string
	}{
		{
			"refused", `{"data":{"publish":{"userErrors":[{"field":["id"],"message":"Not here"}]}}}`,
			shopadapter.Blocked, "cannot be published to the sales channel Webshop: Not here",
		},
		{"no answer", `{"data":{}}`, shopadapter.Transient, "lacks the publication of the variant"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newFakeShop(t)
			a := f.open(t)
			p := laws.Sample("p", 2)
			ref, l := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
			if err := f.hideVariant(t.Context(), l.ID, laws.SeenVariant{ShopID: l.ShopIDs()[p.Variants[0].ID]}); err != nil {
				t.Fatal(err)
			}
			f.answer = forOperation("Revive", body(tc.body))
			ref.Publication, ref.Revive = p.ID, true
			_, err := a.Publish(t.Context(), ref, p, shopadapter.FieldVariants)
			e := shopadapter.Explain(err)
			if e == nil || e.Kind != tc.kind {
				t.Fatalf("got %v, want an error that is %v", err, tc.kind)
			}
			if !strings.Contains(e.Message, tc.says) {
				t.Errorf("message: got %q, want %q in it", e.Message, tc.says)
			}
		})
	}
}
