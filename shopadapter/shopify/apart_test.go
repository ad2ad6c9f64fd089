package shopify_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shopadaptertest"
)

// lacksApart is what versions before 2026-07 lack.
const lacksApart = "ProductVariant.publishedOnPublication"

// TestVariantsApart: a version that has no switch for a single variant is not asked for one, and
// one that has it is.
func TestVariantsApart(t *testing.T) {
	for _, tc := range []struct {
		version string
		lacks   []string
		on      bool // is a variant that was taken off the sales channel observed on sale?
		asks    int  // requests for it when it is to come back
	}{
		{version: "2026-04", lacks: []string{lacksApart}, on: true},
		{version: "2026-07", asks: 2},
		{version: "2026-10", asks: 2},
		{version: "unstable", asks: 2},
	} {
		t.Run(tc.version, func(t *testing.T) {
			f := newFakeShop(t)
			f.version, f.without = tc.version, tc.lacks
			a := f.open(t, "API_VERSION", tc.version)
			if err := a.Check(t.Context()); err != nil {
				t.Fatalf("check: got %v, want nil", err)
			}
			p := shopadaptertest.Sample("p", 3)
			ref, l := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
			if err := f.hideVariant(
				t.Context(), l.ID, shopadaptertest.SeenVariant{ShopID: l.Variants[p.Variants[1].ID]},
			); err != nil {
				t.Fatal(err)
			}
			for name, what := range map[string]shopadapter.Observation{
				"all": {}, "one": {Refs: []shopadapter.Ref{ref}},
			} {
				if got := observe(t, a, what)["p"].Variants[1].OnSale; got != tc.on {
					t.Errorf("observed %s: on sale: got %t, want %t", name, got, tc.on)
				}
			}
			f.took()
			ref.Revive, ref.Asked = true, true
			publish(t, a, ref, p, shopadapter.FieldVariants)
			asks := slices.DeleteFunc(f.took(), func(name string) bool { return name != "Apart" && name != "Revive" })
			if len(asks) != tc.asks {
				t.Errorf("requests for the variant: got %v, want %d", asks, tc.asks)
			}
			if off := f.sole(t).variants[1].off; off != tc.on {
				t.Errorf("off the sales channel after a retry: got %t, want %t", off, tc.on)
			}
		})
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
	for i, v := range observe(t, a, shopadapter.Observation{})["p"].Variants {
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
			"refused", `{"data":{"variant0":{"userErrors":[{"field":["id"],"message":"Not here"}]}}}`,
			shopadapter.Blocked, "cannot be published to the sales channel Webshop: Not here",
		},
		{"no answer", `{"data":{}}`, shopadapter.Transient, "lacks the publication of the variant"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newFakeShop(t)
			a := f.open(t)
			p := shopadaptertest.Sample("p", 2)
			ref, l := publish(t, a, shopadapter.Ref{}, p, shopadapter.AllFields)
			if err := f.hideVariant(
				t.Context(), l.ID, shopadaptertest.SeenVariant{ShopID: l.Variants[p.Variants[0].ID]},
			); err != nil {
				t.Fatal(err)
			}
			f.answer = forOperation("Revive", func(string) *http.Response { return respond(200, tc.body, nil) })
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
