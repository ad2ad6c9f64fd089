package publication

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

func TestWhatADifferenceMeans(t *testing.T) {
	const now = 2000
	written := store.Variant{ID: "v1", ShopID: "s1", SKU: "A-1", Price: "20.02", Quantity: 7}
	as := func(change func(*shopadapter.ListedVariant)) []shopadapter.ListedVariant {
		o := shopadapter.ListedVariant{ShopID: "s1", SKU: "A-1", Price: "20.02", Quantity: 7, OnSale: true}
		if change != nil {
			change(&o)
		}
		return []shopadapter.ListedVariant{o}
	}
	seen := func(d store.Drift) []store.Drift {
		d.Variant, d.Since = "v1", now
		return []store.Drift{d}
	}
	type observed = shopadapter.ListedVariant
	net := shopadapter.Prices{VAT: "21", Places: 2}
	for _, tt := range []struct {
		name     string
		written  store.Variant
		keep     shopadapter.Fields
		prices   shopadapter.Prices // of the shop
		untold   shopadapter.Fields // by the shop
		variants []shopadapter.ListedVariant
		want     []store.Drift
		wrong    shopadapter.Fields // to be put right
	}{
		{name: "as it was written", written: written, variants: as(nil)},
		{name: "the shop does not tell", written: written},
		{name: "another form of the price", written: written, variants: as(func(o *observed) { o.Price = "20.020000" })},
		{
			name: "a price typed by mistake", written: written, variants: as(func(o *observed) { o.Price = "5.00" }),
			want: seen(store.Drift{Price: "5.00"}), wrong: shopadapter.FieldPrice,
		},
		{
			name: "a price that somebody emptied", written: written, variants: as(func(o *observed) { o.Price = "" }),
			want: seen(store.Drift{Price: "no price"}), wrong: shopadapter.FieldPrice,
		},
		{
			name: "a price that the shop rounds without its tax", written: written, prices: net,
			variants: as(func(o *observed) { o.Price = "20.03" }),
		},
		{
			name: "another price without its tax", written: written, prices: net,
			variants: as(func(o *observed) { o.Price = "20.04" }),
			want:     seen(store.Drift{Price: "20.04"}), wrong: shopadapter.FieldPrice,
		},
		{
			name: "a cent more with its tax", written: written,
			variants: as(func(o *observed) { o.Price = "20.03" }),
			want:     seen(store.Drift{Price: "20.03"}), wrong: shopadapter.FieldPrice,
		},
		{
			name: "a stock that the shop does not tell", written: written, untold: shopadapter.FieldStock,
			variants: as(func(o *observed) { o.Price, o.Quantity, o.Uncounted = "5.00", 0, true }),
			want:     seen(store.Drift{Price: "5.00"}), wrong: shopadapter.FieldPrice,
		},
		{
			name: "a price that the shop does not tell", written: written, untold: shopadapter.FieldPrice,
			variants: as(func(o *observed) { o.Price = "5.00" }),
		},
		{
			name: "a price that is the merchant's", written: written, keep: shopadapter.FieldPrice,
			variants: as(func(o *observed) { o.Price = "5.00" }),
		},
		{
			name: "the merchant's reduction", written: written,
			variants: as(func(o *observed) { o.Price, o.CompareAt = "15.00", "20.02" }),
		},
		{
			name: "a former price below ours is no reduction", written: written,
			variants: as(func(o *observed) { o.Price, o.CompareAt = "15.00", "18.00" }),
			want:     seen(store.Drift{Price: "15.00"}), wrong: shopadapter.FieldPrice,
		},
		{
			name: "more pieces", written: written, variants: as(func(o *observed) { o.Quantity = 999 }),
			want: seen(store.Drift{Quantity: "999"}), wrong: shopadapter.FieldStock,
		},
		{
			name: "not counted", written: written, variants: as(func(o *observed) { o.Uncounted = true }),
			want: seen(store.Drift{Quantity: Unlimited}), wrong: shopadapter.FieldStock,
		},
		{
			name: "backorders", written: written, variants: as(func(o *observed) { o.Backorders = true }),
			want: seen(store.Drift{Quantity: Unlimited}), wrong: shopadapter.FieldStock,
		},
		{
			name: "a quantity that is the merchant's", written: written, keep: shopadapter.FieldStock,
			variants: as(func(o *observed) { o.Quantity = 999 }),
		},
		{
			name: "the shop has sold some", written: written, variants: as(func(o *observed) { o.Quantity = 5 }),
			want: seen(store.Drift{Sold: 2}),
		},
		{
			name: "orders beyond what there is", written: written, variants: as(func(o *observed) { o.Quantity = -1 }),
			want: seen(store.Drift{Sold: 8}),
		},
		{
			name: "no counting where it may be sold without end", variants: as(func(o *observed) { o.Uncounted = true }),
			written: store.Variant{ID: "v1", ShopID: "s1", Price: "20.02", Quantity: 7, Backorders: true},
		},
		{
			name: "more pieces of what may be sold without end", wrong: shopadapter.FieldStock,
			written:  store.Variant{ID: "v1", ShopID: "s1", Price: "20.02", Backorders: true},
			variants: as(func(o *observed) { o.Quantity, o.Backorders = 999, true }),
			want:     seen(store.Drift{Quantity: "999"}),
		},
		{
			name: "switched off", written: written, variants: as(func(o *observed) { o.OnSale = false }),
			want: seen(store.Drift{Off: true}),
		},
		{
			name: "deleted", written: written, variants: []shopadapter.ListedVariant{},
			want: seen(store.Drift{Gone: true}), wrong: shopadapter.FieldVariants | figures,
		},
		{
			name: "known by its SKU", written: written,
			variants: as(func(o *observed) { o.ID, o.Price = "another", "5.00" }),
			want:     seen(store.Drift{Price: "5.00"}), wrong: shopadapter.FieldPrice,
		},
		{
			name:    "one that the shop refused",
			written: store.Variant{ID: "v1", Price: "20.02", Refused: "too many"}, variants: []observed{},
		},
		{
			name:    "one that has no price now",
			written: store.Variant{ID: "v1", Price: "20.02", Unpriced: true}, variants: []observed{},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := store.Record{ID: "p1", ShopID: "1", OnSale: true, WrittenAt: 10, Variants: []store.Variant{tt.written}}
			p := Settings{Rules: Rules{Keep: tt.keep}, OnDrift: DriftCorrect}
			o := Observation{Listing: shopadapter.Listing{Variants: tt.variants, Untold: tt.untold}, Prices: tt.prices}
			got := p.Rules.driftOf(r, o, now)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("drift (-want +got):\n%s", diff)
			}
			r.Drift = got
			if wrong := p.wrong(r); wrong != tt.wrong {
				t.Errorf("to be put right: %s, want %s", wrong, tt.wrong)
			}
			p.OnDrift = DriftReport
			if wrong := p.wrong(r) &^ figures; wrong != tt.wrong&^figures {
				t.Errorf("to be put right where it is only reported: %s, want %s", wrong, tt.wrong&^figures)
			}
		})
	}
}

// What was seen the same before is as old as it was then.
func TestDriftKeepsItsSince(t *testing.T) {
	r := store.Record{Variants: []store.Variant{{ID: "v1", ShopID: "s1", Price: "20.02"}}}
	seen := Observation{Listing: shopadapter.Listing{Variants: []shopadapter.ListedVariant{
		{ShopID: "s1", Price: "5.00", OnSale: true},
	}}}
	r.Drift = Rules{}.driftOf(r, seen, 1000)
	if got := (Rules{}).driftOf(r, seen, 2000)[0].Since; got != 1000 {
		t.Errorf("since %d, want 1000", got)
	}
	seen.Variants[0].Price = "6.00"
	if got := (Rules{}).driftOf(r, seen, 2000)[0].Since; got != 2000 {
		t.Errorf("another price since %d, want 2000", got)
	}
}

// Pictures that the shop has lost come again, once. Those that the merchant took away do not.
func TestLostPictures(t *testing.T) {
	for _, tt := range []struct {
		name string
		r    store.Record
		o    shopadapter.Listing
		keep shopadapter.Fields
		want bool
	}{
		{"as many as were written", store.Record{Images: 3}, shopadapter.Listing{Images: 3}, 0, false},
		{"lost", store.Record{Images: 3}, shopadapter.Listing{Images: 1}, 0, true},
		{"all are lost", store.Record{Images: 3}, shopadapter.Listing{}, 0, true},
		{"the shop does not tell", store.Record{Images: 3}, shopadapter.Listing{Images: -1}, 0, false},
		{"lost a second time", store.Record{Images: 3, Repictured: true}, shopadapter.Listing{Images: 1}, 0, false},
		{
			"taken away",
			store.Record{Images: 3},
			shopadapter.Listing{Images: 1, Edited: shopadapter.FieldImages},
			0,
			false,
		},
		{"late ones are on the way", store.Record{Images: 3, LateSince: 5}, shopadapter.Listing{Images: 1}, 0, false},
		{"the merchant's", store.Record{Images: 3}, shopadapter.Listing{Images: 1}, shopadapter.FieldImages, false},
	} {
		if got := (Rules{Keep: tt.keep}).lost(tt.r, Observation{Listing: tt.o}); got != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.want)
		}
	}
}

func TestHoldsDrift(t *testing.T) {
	for _, tt := range []struct {
		differing, products int
		want                bool
	}{
		{0, 0, false},
		{10, 10, false}, // not more than ten
		{11, 11, true},  // all of them
		{11, 54, true},  // more than a fifth
		{11, 55, false}, // a fifth
		{20, 1000, false},
		{201, 1000, true},
	} {
		if got := (Brake{}).HoldsDrift(tt.differing, tt.products); got != tt.want {
			t.Errorf("%d of %d: %t, want %t", tt.differing, tt.products, got, tt.want)
		}
	}
}
