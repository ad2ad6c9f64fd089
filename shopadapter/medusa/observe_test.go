package medusa_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// observe is what an observation tells, by publication.
func observe(
	t testing.TB, a shopadapter.Adapter, what shopadapter.Query,
) map[shopadapter.PublicationID]shopadapter.Listed {
	t.Helper()
	all := map[shopadapter.PublicationID]shopadapter.Listed{}
	for o, err := range a.List(t.Context(), what) {
		if err != nil {
			t.Fatal(err)
		}
		all[o.Ref.Publication] = o
	}
	return all
}

// A handiwork is something that somebody does by hand to a product and one of its variants, and what
// it makes of an observation.
type handiwork struct {
	name string
	hand func(ctx context.Context, o *office, listing shopadapter.ListingID, variant string) error
	want func(*shopadapter.Listed)
}

func handiworks() []handiwork {
	type (
		id   = shopadapter.ListingID
		seen = shopadapter.Listed
	)
	variant := func(v string) laws.SeenVariant { return laws.SeenVariant{ShopID: v} }
	return []handiwork{
		{"a price list", func(ctx context.Context, o *office, l id, v string) error {
			return o.reduce(ctx, l, variant(v), "4.00")
		}, func(*seen) {}},
		{"prices of the merchant's own", func(ctx context.Context, o *office, l id, v string) error {
			many, dollars := euros("3.00"), euros("2.00")
			many["min_quantity"], dollars["currency_code"] = 10, "usd"
			return o.updateVariant(ctx, l, v, object{"prices": []object{many, euros("5.00"), dollars}})
		}, func(o *seen) { o.Variants[0].Price = "5.00" }},
		{"no price", func(ctx context.Context, o *office, l id, v string) error {
			return o.updateVariant(ctx, l, v, object{"prices": []object{}})
		}, func(o *seen) { o.Variants[0].Price = "" }},
		{"counting is switched off", func(ctx context.Context, o *office, l id, v string) error {
			return o.updateVariant(ctx, l, v, object{"manage_inventory": false})
		}, func(o *seen) { o.Variants[0].Uncounted, o.Variants[0].Quantity = true, 0 }},
		{"out of sale", func(ctx context.Context, o *office, l id, _ string) error {
			return o.hide(ctx, l)
		}, func(o *seen) { o.OnSale = false }},
	}
}

// check does it by hand, and holds the next observations to what has changed by it and nothing else.
func (h handiwork) check(t *testing.T, a shopadapter.Adapter, o *office, id shopadapter.PublicationID) {
	t.Helper()
	want := observe(t, a, shopadapter.Query{})
	one := want[id]
	if len(want) < 2 || len(one.Variants) == 0 {
		t.Fatalf("%d listings are observed, and %d variants of %s", len(want), len(one.Variants), id)
	}
	if err := h.hand(t.Context(), o, one.Ref.Listing, one.Variants[0].ShopID); err != nil {
		t.Fatal(err)
	}
	h.want(&one)
	want[id] = one
	unordered := cmpopts.SortSlices(func(a, b shopadapter.ListedVariant) bool { return a.ShopID < b.ShopID })
	if diff := cmp.Diff(want, observe(t, a, shopadapter.Query{}), unordered); diff != "" {
		t.Errorf("observed (-want +got):\n%s", diff)
	}
	some := observe(t, a, shopadapter.Query{Refs: []shopadapter.Ref{{Publication: id}, {Publication: "none"}}})
	only := map[shopadapter.PublicationID]shopadapter.Listed{id: one}
	if diff := cmp.Diff(only, some, unordered); diff != "" {
		t.Errorf("observed by its ref (-want +got):\n%s", diff)
	}
}
