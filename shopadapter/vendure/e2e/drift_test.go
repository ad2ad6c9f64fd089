package e2e_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/vendure"
	"github.com/pubsync/pubsync/shopadapter/vendure/internal/vendureserver"
)

// observe is what an observation tells, by publication.
func observe(
	t *testing.T, a *vendure.Adapter, what shopadapter.Query,
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

// drift changes one thing after the other by hand. Each is observed, and nothing else: in the whole
// list, and by its ref.
func drift(t *testing.T, server *vendureserver.Server, a *vendure.Adapter, p shopadapter.Product) {
	office := server.Backoffice()
	l := publish(t, a, p, shopadapter.AllFields)
	variant := func(i int) laws.SeenVariant {
		return laws.SeenVariant{ShopID: l.ShopIDs()[p.Variants[i].ID]}
	}
	type observed = shopadapter.Listed
	for _, step := range []struct {
		name string
		hand func(context.Context) error
		want func(*observed)
		all  bool // it is seen of every listing
	}{
		{"a price", func(ctx context.Context) error {
			return office.SetPrice(ctx, l.ID, variant(0), "5.00")
		}, func(o *observed) { o.Variants[0].Price = "5.00" }, false},
		{"a quantity", func(ctx context.Context) error {
			return office.SetQuantity(ctx, l.ID, variant(1), 999)
		}, func(o *observed) { o.Variants[1].Quantity = 999 }, false},
		{"a variant is switched off", func(ctx context.Context) error {
			return office.HideVariant(ctx, l.ID, variant(0))
		}, func(o *observed) { o.Variants[0].OnSale = false }, false},
		{"counting is switched off", func(ctx context.Context) error {
			return office.UpdateVariant(ctx, variant(1).ShopID, map[string]any{"trackInventory": "FALSE"})
		}, func(o *observed) { o.Variants[1].Uncounted = true }, false},
		{"a title", func(ctx context.Context) error {
			return office.Edit(ctx, l.ID, shopadapter.FieldTitle)
		}, func(o *observed) { o.Edited = shopadapter.FieldTitle }, false},
		{"a variant is deleted", func(ctx context.Context) error {
			return office.RemoveVariant(ctx, l.ID, variant(2))
		}, func(o *observed) { o.Variants = o.Variants[:2] }, false},
		{"a picture is deleted from the library", func(ctx context.Context) error {
			return office.LosePicture(ctx, l.ID, 0)
		}, func(o *observed) { o.Images = 1 }, false},
		{"the category is deleted", func(ctx context.Context) error {
			return office.DropFacet(ctx, l.ID, "pubsync-category")
		}, func(o *observed) { o.Outdated = shopadapter.FieldCategory }, true},
	} {
		t.Run(step.name, func(t *testing.T) {
			want := observe(t, a, shopadapter.Query{})
			if len(want) < 2 {
				t.Fatalf("%d listings are observed, want others too", len(want))
			}
			if err := step.hand(t.Context()); err != nil {
				t.Fatal(err)
			}
			for id, o := range want {
				if id == p.ID || step.all {
					step.want(&o)
					want[id] = o
				}
			}
			o := want[p.ID]
			if diff := cmp.Diff(want, observe(t, a, shopadapter.Query{})); diff != "" {
				t.Errorf("observed (-want +got):\n%s", diff)
			}
			only := map[shopadapter.PublicationID]observed{p.ID: o}
			some := observe(t, a, shopadapter.Query{Refs: []shopadapter.Ref{{Publication: p.ID, Listing: l.ID}}})
			if diff := cmp.Diff(only, some); diff != "" {
				t.Errorf("observed by its ref (-want +got):\n%s", diff)
			}
		})
	}
	left := shopadapter.Ref{Publication: p.ID, Listing: l.ID, State: l.State, OnSale: true, Asked: true}
	asked := shopadapter.Query{Refs: []shopadapter.Ref{left}}
	if got := observe(t, a, asked)[p.ID].Outdated; got != shopadapter.FieldCategory {
		t.Errorf("outdated of a product whose category was deleted: got %s, want the category", got)
	}
	l = publish(t, a, p, shopadapter.AllFields)
	if got := observe(t, a, asked)[p.ID].Outdated; got != shopadapter.NoFields {
		t.Errorf("outdated of it, published again: got %s, want nothing", got)
	}
	if o := observe(t, a, shopadapter.Query{})[p.ID]; o.Images != len(p.Images) ||
		l.Kept != shopadapter.FieldTitle {
		t.Errorf(
			"published again it shows %d pictures and keeps %s, want %d and title",
			o.Images,
			l.Kept,
			len(p.Images),
		)
	}
}
