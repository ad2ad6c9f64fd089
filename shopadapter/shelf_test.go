package shopadapter_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// The example is the first adapter that a plugin's author reads, so it is held to the laws like any
// other.
func TestExampleKeepsTheLaws(t *testing.T) {
	laws.Run(t, func(*testing.T) laws.Harness {
		const atOnce = "every call is one step in memory: it happens or it does not"
		const inProcess = "the shelf is in the same process: nobody can answer in its place"
		shop := &shelf{products: map[shopadapter.ListingID]item{}}
		return laws.Harness{
			Open: func(func(http.RoundTripper) http.RoundTripper) (shopadapter.Adapter, error) {
				return shelfAdapter{shop}, nil
			},
			Observe:     shop.observe,
			NoTransport: true,
			Hidden:      shopadapter.TextFields &^ shopadapter.FieldTitle,
			Edit: func(_ context.Context, id shopadapter.ListingID, _ shopadapter.Fields) error {
				it := shop.products[id]
				it.title = "The merchant's own"
				shop.products[id] = it
				return nil
			},
			DeleteByHand: func(_ context.Context, id shopadapter.ListingID) error {
				delete(shop.products, id)
				return nil
			},
			AddForeign: func(_ context.Context, p shopadapter.Product) (shopadapter.ListingID, error) {
				shop.next++
				id := shopadapter.ListingID(fmt.Sprint("item-", shop.next))
				shop.products[id] = item{
					title:    p.Title,
					variants: map[string]shopadapter.Variant{"own": p.Variants[0]},
					onSale:   true,
				}
				return id, nil
			},
			SetPriceByHand: func(_ context.Context, id shopadapter.ListingID, v laws.SeenVariant, now string) error {
				held := shop.products[id].variants[v.ID]
				held.Price = now
				shop.products[id].variants[v.ID] = held
				return nil
			},
			SetQuantityByHand: func(_ context.Context, id shopadapter.ListingID, v laws.SeenVariant, n int) error {
				held := shop.products[id].variants[v.ID]
				held.Quantity = n
				shop.products[id].variants[v.ID] = held
				return nil
			},
			RemoveVariantByHand: func(_ context.Context, id shopadapter.ListingID, v laws.SeenVariant) error {
				delete(shop.products[id].variants, v.ID)
				return nil
			},
			RefuseVariant: func(p shopadapter.Product, i int) shopadapter.Product { p.Variants[i].Price = "0.00"; return p },
			Without: map[string]string{
				"lost-answer":          atOnce,
				"edit-not-invented":    atOnce,
				"never-half-built":     atOnce,
				"fault-half-way":       inProcess,
				"error-kinds":          inProcess,
				"credentials":          "the shelf asks for none",
				"no-secret":            "the shelf has none",
				"checker":              "there is nothing that could be out of order",
				"refused-product":      "the shelf refuses variants, never a product",
				"hidden-by-hand":       "the shelf is all that a customer sees: there is no place out of sale",
				"choice":               "the shelf shows its items side by side: a customer chooses by no option",
				"renamed-choice":       "the shelf shows its items side by side: a customer chooses by no option",
				"observed-reduction":   "the shelf has one price for each variant",
				"observed-variant-off": "the shelf has no variants that are switched off",
				"image-once":           "the shelf has no pictures",
				"late-picture":         "the shelf has no pictures",
				"refused-picture":      "the shelf has no pictures",
			},
		}
	})
}

func (s *shelf) observe(context.Context) ([]laws.Seen, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var products []laws.Seen
	for id, it := range s.products {
		seen := laws.Seen{Listing: id, Publication: it.publication(), OnSale: it.onSale, Title: it.title}
		for _, v := range it.variants {
			options := map[string]string{}
			for _, o := range v.Options {
				options[o.Name] = o.Value
			}
			seen.Variants = append(seen.Variants, laws.SeenVariant{
				ID: v.ID, ShopID: string(id) + "/" + v.ID, SKU: v.SKU, Options: options,
				Price: v.Price, Quantity: v.Quantity, Backorders: v.Backorders,
			})
		}
		products = append(products, seen)
	}
	return products, nil
}
