package medusa_test

import (
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// A variant that is made anew has its stock at once, also where the shop gives it a level of its own.
func TestAVariantMadeAnewHasItsStock(t *testing.T) {
	f := newFake(t)
	f.levelled = true
	a := f.open()
	p := laws.Sample("lamp", 2)
	l := publish(t, a, p, shopadapter.AllFields)
	p.Variants[0].SKU += "-NEW"
	ref := shopadapter.Ref{Publication: p.ID, Listing: l.ID, State: l.State, OnSale: true}
	if _, err := a.Publish(t.Context(), ref, p, shopadapter.FieldVariants); err != nil {
		t.Fatal(err)
	}
	all, err := f.observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range all[0].Variants {
		if v.SKU == p.Variants[0].SKU && v.Quantity != p.Variants[0].Quantity {
			t.Errorf("it has %d, want %d", v.Quantity, p.Variants[0].Quantity)
		}
	}
}
