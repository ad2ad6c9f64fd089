package publication

import (
	"slices"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A variant without a price is taken out of the listing once, and put back when it has one.
func TestChangesOfAnUnpricedVariant(t *testing.T) {
	shown := store.Variant{ID: "v1", Title: "Red", SKU: "r", Price: "20.00", Quantity: 5}
	other := store.Variant{ID: "v2", Title: "Blue", SKU: "b", Price: "20.00", Quantity: 5}
	out := shown
	out.Unpriced, out.Refused = true, "it has no msrp to make a price from"
	red := shopadapter.Variant{ID: "v1", Title: "Red", SKU: "r", Price: "20.00", Quantity: 5}
	blue := shopadapter.Variant{ID: "v2", Title: "Blue", SKU: "b", Price: "20.00", Quantity: 4}
	for _, tt := range []struct {
		name    string
		before  []store.Variant
		product []shopadapter.Variant
		changed shopadapter.Fields
		want    []Change
	}{
		{
			"loses its price",
			[]store.Variant{shown, other},
			[]shopadapter.Variant{blue},
			shopadapter.FieldVariants | shopadapter.FieldStock,
			[]Change{
				{ID: "p", Field: "quantity", Variant: "v2", Old: "5", New: "4"},
				{ID: "p", Field: "variants", Variant: "v1", Old: "Red"},
			},
		},
		{
			"still has none",
			[]store.Variant{other, out},
			[]shopadapter.Variant{blue},
			shopadapter.FieldStock,
			[]Change{{ID: "p", Field: "quantity", Variant: "v2", Old: "5", New: "4"}},
		},
		{
			"has one again",
			[]store.Variant{out, other},
			[]shopadapter.Variant{red, blue},
			shopadapter.FieldVariants,
			[]Change{
				{ID: "p", Field: "variants", Variant: "v1", New: "Red"},
				{ID: "p", Field: "price", Variant: "v1", New: "20.00"},
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := changesOf(
				"p", store.Record{ID: "p", Variants: tt.before}, shopadapter.Product{Variants: tt.product},
				tt.changed,
			)
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

// A variant that an attempt without an answer may have added is written with the figures of now.
func TestFiguresAreWrittenAfterAnAttemptAtVariants(t *testing.T) {
	d := Decision{by: NewDecider(Settings{}), print: fingerprintOf(shopadapter.Product{})}
	d.rec = store.Record{
		WrittenAt: 1,
		Attempted: shopadapter.FieldVariants,
		Hashes:    d.print.keeping(store.Record{}, shopadapter.NoFields),
		HashRule:  hashRule,
	}
	want := shopadapter.FieldVariants | shopadapter.FieldPrice | shopadapter.FieldStock
	if got := d.changed(); got != want {
		t.Errorf("%v is written, want %v", got, want)
	}
}
