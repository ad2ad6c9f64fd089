package myshop

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/cmd/internal/newadapter/template/toyshop"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

const token = "a-secret-token"

// TestLaws holds the adapter to what pubsync counts on. Go through its output with -v: a skip is
// something that you may want.
func TestLaws(t *testing.T) {
	laws.Run(t, func(t *testing.T) laws.Harness {
		shop := &toyshop.Shop{Token: token}
		server := httptest.NewServer(shop)
		t.Cleanup(server.Close)
		return harness(shop, server.URL)
	})
}

// harness is the shop as the suite needs it: a way to open the adapter, a look from the other side,
// and what the shop's owner does by hand.
func harness(shop *toyshop.Shop, address string) laws.Harness {
	byHand := func(id shopadapter.ListingID, change func(p *toyshop.Product)) error {
		shop.Lock()
		defer shop.Unlock()
		i := slices.IndexFunc(shop.Products, func(p *toyshop.Product) bool { return p.ID == string(id) })
		change(shop.Products[i])
		return nil
	}
	observe := func(context.Context) (seen []laws.Seen, err error) {
		shop.Lock()
		defer shop.Unlock()
		for _, p := range shop.Products {
			seen = append(seen, look(p))
		}
		return seen, nil
	}
	return laws.Harness{
		Open: func(wrap func(http.RoundTripper) http.RoundTripper) (shopadapter.Adapter, error) {
			return shopadapter.Open(Name, shopadapter.Options{
				Settings: map[string]string{"URL": address, "TOKEN": token},
				HTTPClient: &http.Client{
					Transport:     wrap(http.DefaultTransport),
					CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
				},
			})
		},
		Observe: observe,
		Visit:   laws.VisitSeen(observe),
		Secrets: []string{token},
		Edit: func(_ context.Context, id shopadapter.ListingID, group shopadapter.Fields) error {
			return byHand(id, func(p *toyshop.Product) {
				switch group {
				case shopadapter.FieldTitle:
					p.Title = "The merchant's title"
				case shopadapter.FieldDescription:
					p.Description = "The merchant's words."
				case shopadapter.FieldCategory:
					p.Category = "The merchant's shelf"
				case shopadapter.FieldImages:
					p.Images = []string{"https://shop.example/own.jpg"}
				}
			})
		},
		DeleteByHand: func(_ context.Context, id shopadapter.ListingID) error {
			shop.Lock()
			defer shop.Unlock()
			shop.Products = slices.DeleteFunc(shop.Products, func(p *toyshop.Product) bool { return p.ID == string(id) })
			return nil
		},
		HideByHand: func(_ context.Context, id shopadapter.ListingID) error {
			return byHand(id, func(p *toyshop.Product) { p.OnSale = false })
		},
		SetPriceByHand: func(_ context.Context, id shopadapter.ListingID, v laws.SeenVariant, price string) error {
			return byHand(id, func(p *toyshop.Product) { find(p, v).Price = price })
		},
		SetQuantityByHand: func(_ context.Context, id shopadapter.ListingID, v laws.SeenVariant, n int) error {
			return byHand(id, func(p *toyshop.Product) { find(p, v).Stock = n })
		},
		RemoveVariantByHand: func(_ context.Context, id shopadapter.ListingID, v laws.SeenVariant) error {
			return byHand(id, func(p *toyshop.Product) {
				p.Variants = slices.DeleteFunc(p.Variants, func(w *toyshop.Variant) bool { return w.ID == v.ShopID })
			})
		},
		AddForeign: func(_ context.Context, p shopadapter.Product) (shopadapter.ListingID, error) {
			own := &toyshop.Product{
				ID: "own-1", Title: p.Title, OnSale: true,
				Variants: []*toyshop.Variant{{ID: "own", SKU: p.Variants[0].SKU, Price: "1.00"}},
			}
			shop.Lock()
			defer shop.Unlock()
			shop.Products = append(shop.Products, own)
			return "own-1", nil
		},
		RefuseVariant: func(p shopadapter.Product, i int) shopadapter.Product { p.Variants[i].Price = "0.00"; return p },
		RefuseProduct: func(p shopadapter.Product) shopadapter.Product { p.Title = strings.Repeat("long ", 50); return p },
		BreakCredentials: func() (mend func()) {
			change := func(to string) {
				shop.Lock()
				defer shop.Unlock()
				shop.Token = to
			}
			change("another token")
			return func() { change(token) }
		},
		Without: map[string]string{
			"renamed-choice":       "options that the merchant renamed are not followed yet: kit.Follow",
			"observed-reduction":   "the toy shop has no reduced prices",
			"observed-variant-off": "the toy shop has no variants that are switched off",
			"image-once":           "the toy shop takes no pictures in: it shows them from where they are",
			"late-picture":         "as image-once",
			"refused-picture":      "as image-once",
		},
	}
}

// find is a variant of a product.
func find(p *toyshop.Product, v laws.SeenVariant) *toyshop.Variant {
	return p.Variants[slices.IndexFunc(p.Variants, func(w *toyshop.Variant) bool { return w.ID == v.ShopID })]
}

// look is a product as a customer and the shop's owner see it.
func look(p *toyshop.Product) laws.Seen {
	seen := laws.Seen{
		Listing: shopadapter.ListingID(p.ID), OnSale: p.OnSale,
		Publication: shopadapter.PublicationID((&product{Note: p.Note}).note().ID),
		Title:       p.Title, Description: p.Description, Category: p.Category, Images: slices.Clone(p.Images),
	}
	for _, v := range p.Variants {
		seen.Variants = append(seen.Variants, laws.SeenVariant{
			ID: v.Reference, ShopID: v.ID, SKU: v.SKU, Options: v.Options,
			Price: v.Price, Quantity: v.Stock, Backorders: v.Backorders,
		})
	}
	return seen
}
