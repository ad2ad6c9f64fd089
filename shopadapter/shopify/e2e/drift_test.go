package e2e_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/shopify"
	"github.com/pubsync/pubsync/shopadapter/shopify/internal/shopifyserver"
)

// TestDrift changes one thing after the other by hand. Each is observed, and nothing else: whole, by
// its ref, and since the moment before.
func TestDrift(t *testing.T) {
	t.Parallel()
	server := boot(t)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	shop := server.Open(t, map[string]any{
		"locales": []map[string]any{{"locale": "en", "primary": true}, {"locale": "nl", "primary": false}},
	})
	a, err := shopify.Open(
		shopadapter.Options{Settings: shop.Settings(), HTTPClient: &http.Client{Transport: transport}},
	)
	if err != nil {
		t.Fatal(err)
	}
	var l shopadapter.Listing
	p := laws.Sample("drift", 3)
	p.Translations["nl"] = shopadapter.Translation{Title: "Lamp", Description: "<p>Een lamp.</p>"}
	for _, p := range []shopadapter.Product{laws.Sample("untouched", 2), p} {
		if l, err = a.Publish(t.Context(), shopadapter.Ref{Publication: p.ID}, p, shopadapter.AllFields); err != nil {
			t.Fatal(err)
		}
	}
	observe := func(what shopadapter.Query) map[shopadapter.PublicationID]shopadapter.Listed {
		all := map[shopadapter.PublicationID]shopadapter.Listed{}
		for o, err := range a.List(t.Context(), what) {
			if err != nil {
				t.Fatal(err)
			}
			all[o.Ref.Publication] = o
		}
		return all
	}
	change := func(i int, fields map[string]any) func(context.Context) error {
		return func(ctx context.Context) error {
			return shop.ChangeVariant(ctx, l.ID, l.ShopIDs()[p.Variants[i].ID], fields)
		}
	}
	for _, step := range []struct {
		name string
		hand func(context.Context) error
		want func(*shopadapter.Listed)
	}{
		{"a price", change(0, map[string]any{"price": "5.00"}), func(o *shopadapter.Listed) {
			o.Variants[0].Price = "5.00"
		}},
		{
			"a quantity", change(1, map[string]any{"levels": map[string]int{"gid://shopify/Location/1": 999}}),
			func(o *shopadapter.Listed) { o.Variants[1].Quantity = 999 },
		},
		{"a reduction", change(1, map[string]any{"price": "9.00", "former": "20.95"}), func(o *shopadapter.Listed) {
			o.Variants[1].Price, o.Variants[1].CompareAt = "9.00", "20.95"
		}},
		{
			"a variant is taken off sale", change(1, map[string]any{"off": []string{shopifyserver.OnlineStore}}),
			func(o *shopadapter.Listed) { o.Variants[1].OnSale = false },
		},
		{"a variant is deleted", change(2, nil), func(o *shopadapter.Listed) { o.Variants = o.Variants[:2] }},
		{"a title", func(ctx context.Context) error {
			return shop.Edit(ctx, l.ID, shopadapter.FieldTitle)
		}, func(o *shopadapter.Listed) { o.Edited = shopadapter.FieldTitle }},
		{"a picture is lost", func(ctx context.Context) error {
			return shop.LoseFile(ctx, l.ID, 0)
		}, func(o *shopadapter.Listed) { o.Images = 1 }},
		{"a picture of the merchant's", func(ctx context.Context) error {
			return shop.Edit(ctx, l.ID, shopadapter.FieldImages)
		}, func(o *shopadapter.Listed) { o.Edited |= shopadapter.FieldImages }},
	} {
		t.Run(step.name, func(t *testing.T) {
			want := observe(shopadapter.Query{})
			if err := step.hand(t.Context()); err != nil {
				t.Fatal(err)
			}
			o := want[p.ID]
			step.want(&o)
			want[p.ID] = o
			if diff := cmp.Diff(want, observe(shopadapter.Query{})); diff != "" {
				t.Errorf("observed (-want +got):\n%s", diff)
			}
			some := observe(shopadapter.Query{Refs: []shopadapter.Ref{{Publication: p.ID, Listing: l.ID}}})
			if diff := cmp.Diff(map[shopadapter.PublicationID]shopadapter.Listed{p.ID: o}, some); diff != "" {
				t.Errorf("observed by its ref (-want +got):\n%s", diff)
			}
		})
	}
	innocent(t, shop)
}
