package medusa_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// Options and values keep the names that the merchant gave them, and no variant is made anew. What
// cannot be followed is blocked and stays; prices are written all the same.
func TestOptionsOfTheMerchant(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	a := f.open()
	p := laws.Sample("p", 3)
	ref := shopadapter.Ref{Publication: p.ID}
	l, err := a.Publish(t.Context(), ref, p, shopadapter.AllFields)
	if err != nil {
		t.Fatal(err)
	}
	ref.Listing = l.ID
	look := func() (choices []string, prices map[string]string) {
		products, err := f.observe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		prices = map[string]string{}
		for _, v := range products[0].Variants {
			prices[v.ID] = v.Price
			var words []string
			for _, name := range slices.Sorted(maps.Keys(v.Options)) {
				words = append(words, name+"="+v.Options[name])
			}
			choices = append(choices, fmt.Sprint(v.ShopID, " ", v.SKU, " ", strings.Join(words, " ")))
		}
		slices.Sort(choices)
		return choices, prices
	}
	for _, err := range []error{
		f.office().renameOption(t.Context(), l.ID, "Color", "Farbe"),
		f.office().renameValue(t.Context(), l.ID, "Farbe", "Red", "Rot"),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	before, _ := look()
	p.Variants[1].Price = "55.55"
	if _, err = a.Publish(t.Context(), ref, p, shopadapter.FieldVariants|shopadapter.FieldPrice); err != nil {
		t.Fatal(err)
	}
	after, prices := look()
	if diff := cmp.Diff(before, after); diff != "" || prices[p.Variants[1].ID] != "55.55" {
		t.Errorf("the price is %s, and the variants (-before +after):\n%s", prices[p.Variants[1].ID], diff)
	}

	f.addOption(f.product(string(l.ID), "no product"), map[string]any{"title": "Gift", "values": []any{"Yes"}})
	before, _ = look()
	p.Variants[1].Price, p.Variants[2].SKU = "44.44", "ANOTHER"
	_, err = a.Publish(t.Context(), ref, p, shopadapter.FieldVariants|shopadapter.FieldPrice)
	if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Blocked || e.ShopWide {
		t.Errorf("the error is %v, want one that is blocked", err)
	}
	after, prices = look()
	if diff := cmp.Diff(before, after); diff != "" || prices[p.Variants[1].ID] != "44.44" {
		t.Errorf("blocked, the price is %s, and the variants (-before +after):\n%s", prices[p.Variants[1].ID], diff)
	}
}
