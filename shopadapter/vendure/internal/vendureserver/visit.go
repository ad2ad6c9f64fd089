package vendureserver

import (
	"context"
	"fmt"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// visitDocument is what a storefront asks of a product's page. The shop API answers with what is
// enabled alone.
const visitDocument = `query Visit($listing: ID!) { product(id: $listing) {
  variants { sku priceWithTax stockLevel options { name group { name } } }
} }`

// Visit asks the shop API, without a login, for the page of a product, and makes its choices as a
// storefront does.
func (s *Server) Visit(ctx context.Context, listing shopadapter.ListingID) ([]laws.Choice, error) {
	var answer struct {
		Product *struct {
			Variants []struct {
				SKU          string   `json:"sku"`
				PriceWithTax int      `json:"priceWithTax"`
				StockLevel   string   `json:"stockLevel"`
				Options      []Option `json:"options"`
			} `json:"variants"`
		} `json:"product"`
	}
	variables := map[string]any{"listing": string(listing)}
	if _, err := send(ctx, plainClient(), s.URL+"/shop-api", "", visitDocument, variables, &answer); err != nil {
		return nil, err
	}
	if answer.Product == nil {
		return nil, fmt.Errorf("there is no page of %s", listing)
	}
	var variants []laws.Choice
	for _, v := range answer.Product.Variants {
		variants = append(variants, laws.Choice{
			Options: chosen(v.Options), SKU: v.SKU, Price: amount(v.PriceWithTax),
			InStock: v.StockLevel != "OUT_OF_STOCK", Quantity: -1, // the shop API tells no number
		})
	}
	return laws.Choices(variants), nil
}
