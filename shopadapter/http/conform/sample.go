package conform

import (
	"fmt"

	"github.com/pubsync/pubsync/shopadapter"
)

// sample is a product that every shop takes, with n variants.
func sample(id shopadapter.PublicationID, n int) shopadapter.Product {
	text := shopadapter.Translation{
		Title:       "Garden lantern " + string(id),
		Description: "<p>Lights the <b>garden</b>.</p>",
	}
	p := shopadapter.Product{
		ID: id, ListingID: "listing-" + string(id), ProductID: "product-" + string(id), Language: "en", Title: text.Title, Description: text.Description,
		Translations: map[string]shopadapter.Translation{
			"en": text,
		}, Category: shopadapter.Category{Path: "GARDEN_LIGHTING", Name: "Lighting"},
		Images: []string{}, Returns: "true", UpdatedAt: "2026-01-02T03:04:05Z",
		Shipping: []shopadapter.Shipping{
			{CountryGroup: "NL", FixedCosts: "4.95", VariableCosts: "0.50", EstimatedDays: "3"},
		},
	}
	if n > 1 {
		p.Options = []string{"Size"}
	}
	for i := range n {
		v := shopadapter.Variant{
			ID: fmt.Sprintf(
				"%s-v%d",
				id,
				i+1,
			), SKU: fmt.Sprintf("%s-%d", id, i+1), Title: "Garden lantern", Price: "19.95", Cost: "10.00", MSRP: "19.95", Quantity: 12 + i,
		}
		if n > 1 {
			v.Title = fmt.Sprintf("Size %d", i+1)
			v.Options = []shopadapter.Option{{Name: "Size", Value: v.Title}}
		}
		p.Variants = append(p.Variants, v)
	}
	return p
}
