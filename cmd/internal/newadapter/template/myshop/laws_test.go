package myshop

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/cmd/internal/newadapter/template/toyshop"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

const token = "a-secret-token"

// TestLaws holds the adapter to what pubsync counts on. Go through its output with -v: a skip is
// something that you may want.
func TestLaws(t *testing.T) {
	laws.Run(t, func(t *testing.T) laws.Harness {
		shop := &toyshop.Shop{Token: token, Products: map[string]json.RawMessage{}}
		server := httptest.NewServer(shop)
		t.Cleanup(server.Close)
		return harness(shop, server.URL)
	})
}

// harness is the shop as the suite needs it: a way to open the adapter, a look from the other side,
// and what the shop's owner does by hand.
func harness(shop *toyshop.Shop, address string) laws.Harness {
	byHand := func(id shopadapter.ListingID, change func(p *product)) error {
		shop.Lock()
		defer shop.Unlock()
		p := read(shop.Products[string(id)])
		change(p)
		shop.Products[string(id)] = json.RawMessage(kit.Encode(p))
		return nil
	}
	observe := func(context.Context) (seen []laws.Seen, err error) {
		shop.Lock()
		defer shop.Unlock()
		for _, p := range shop.Products {
			seen = append(seen, look(read(p)))
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
			return byHand(id, func(p *product) {
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
			delete(shop.Products, string(id))
			return nil
		},
		HideByHand: func(_ context.Context, id shopadapter.ListingID) error {
			return byHand(id, func(p *product) { p.OnSale = false })
		},
		SetPriceByHand: func(_ context.Context, id shopadapter.ListingID, v laws.SeenVariant, price string) error {
			return byHand(id, func(p *product) { find(p, v).Price = price })
		},
		SetQuantityByHand: func(_ context.Context, id shopadapter.ListingID, v laws.SeenVariant, n int) error {
			return byHand(id, func(p *product) { find(p, v).Stock = n })
		},
		RemoveVariantByHand: func(_ context.Context, id shopadapter.ListingID, v laws.SeenVariant) error {
			return byHand(id, func(p *product) {
				p.Variants = slices.DeleteFunc(p.Variants, func(w variant) bool { return w.Reference == v.ShopID })
			})
		},
		AddForeign: func(_ context.Context, p shopadapter.Product) (shopadapter.ListingID, error) {
			return "own-1", byHand("own-1", func(own *product) {
				own.ID, own.Title, own.OnSale = "own-1", p.Title, true
				own.Variants = []variant{{SKU: p.Variants[0].SKU, Price: "1.00"}}
			})
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
func find(p *product, v laws.SeenVariant) *variant {
	return &p.Variants[slices.IndexFunc(p.Variants, func(w variant) bool { return w.Reference == v.ShopID })]
}

// read is a product of the shop; nil: an empty one.
func read(text json.RawMessage) *product {
	p := &product{}
	_ = json.Unmarshal(text, p) //nolint:errcheck // the shop holds what the adapter wrote
	return p
}

// look is a product as a customer and the shop's owner see it.
func look(p *product) laws.Seen {
	seen := laws.Seen{
		Listing: shopadapter.ListingID(p.ID), OnSale: p.OnSale, Publication: shopadapter.PublicationID(p.note().ID),
		Title: p.Title, Description: p.Description, Category: p.Category, Images: p.Images,
	}
	for _, v := range p.Variants {
		seen.Variants = append(seen.Variants, laws.SeenVariant{
			ID: v.Reference, ShopID: v.Reference, SKU: v.SKU, Options: v.Options,
			Price: v.Price, Quantity: v.Stock, Backorders: v.Backorders,
		})
	}
	return seen
}
