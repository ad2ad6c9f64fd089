package shopify_test

import (
	"fmt"
	"testing"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/pubsync/pubsync/shopadapter"
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

// crowd fills the shop with products of some variants each.
func (f *fakeShop) crowd(products, variants int) {
	for i := range products {
		key := fmt.Sprint("p", i)
		p := &fakeProduct{id: f.id("Product"), status: "ACTIVE", metafields: map[string]string{
			"pubsync.publication": key, "pubsync.stamp": fmt.Sprintf(`{"v":1,"id":"%s"}`, key),
		}}
		for range variants {
			p.variants = append(p.variants, &fakeVariant{id: f.id("ProductVariant"), price: "1.00", policy: "DENY"})
		}
		f.products = append(f.products, p)
	}
}

// Products with many variants are read to their end, and no request is too dear.
func TestObserveCost(t *testing.T) {
	for _, row := range []struct{ products, variants, requests int }{
		{1000, 3, 102},
		{40, 10, 5},
		{40, 30, 45},
		{3, 500, 17},
	} {
		t.Run(fmt.Sprint(row.products, " of ", row.variants), func(t *testing.T) {
			f := newFakeShop(t)
			a := f.open(t)
			if _, err := a.Check(t.Context()); err != nil {
				t.Fatal(err)
			}
			f.defined = "id"
			f.crowd(row.products, row.variants)
			f.calls, f.spent = nil, 0
			got := observe(t, a, shopadapter.Query{})
			if len(got) != row.products {
				t.Errorf("%d products are observed, want %d", len(got), row.products)
			}
			for id, o := range got {
				if len(o.Variants) != row.variants {
					t.Fatalf("%d variants of %s are observed, want %d", len(o.Variants), id, row.variants)
				}
			}
			if len(f.calls) > row.requests {
				t.Errorf("it took %d requests, want %d at most", len(f.calls), row.requests)
			}
			t.Logf("%d requests, %.0f points", len(f.calls), f.spent)
		})
	}
}

// An observation waits until the bucket holds what it costs and much more: the rest is for writes.
func TestObserveLeavesPoints(t *testing.T) {
	f := newFakeShop(t)
	f.limit, f.rate, f.level = 2000, 20_000, 2000
	a := f.open(t)
	publish(t, a, shopadapter.Ref{}, lamp("p", 1), shopadapter.AllFields)
	f.crowd(100, 3)
	least := f.limit
	f.watch = func(*ast.OperationDefinition, map[string]any) { least = min(least, f.level) }
	observe(t, a, shopadapter.Query{})
	if least = min(least, f.level); least < 750 {
		t.Errorf("the bucket held %.0f points after a request, want 750 at least", least)
	}
}

// A shop that charges more than the schema says is asked for less at a time, to the end.
func TestObserveADearShop(t *testing.T) {
	f := newFakeShop(t)
	a := f.open(t)
	publish(t, a, shopadapter.Ref{}, lamp("p", 1), shopadapter.AllFields)
	f.crowd(30, 8)
	f.dearer = 12
	if got := len(observe(t, a, shopadapter.Query{})); got != 31 {
		t.Errorf("%d are observed, want 31", got)
	}
	var refs []shopadapter.Ref
	for _, p := range f.products {
		id := shopadapter.PublicationID(p.metafields["pubsync.publication"])
		refs = append(refs, shopadapter.Ref{Publication: id, Listing: shopadapter.ListingID(p.id)})
	}
	if got := len(observe(t, a, shopadapter.Query{Refs: refs})); got != 31 {
		t.Errorf("by their refs %d are observed, want 31", got)
	}
}
