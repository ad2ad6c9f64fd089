package publication

import "github.com/pubsync/pubsync/connector/marketplace"

func units(n int) *int { return &n }

// lamp is a listing with everything in it.
func lamp() *marketplace.Publication {
	return &marketplace.Publication{
		ID: "pub-1", Status: "syncing", UpdatedAt: "2026-11-01T08:00:00Z",
		Listing: &marketplace.Listing{
			ID: "listing-1", ProductID: "product-1", Returns: "true",
			Translations: map[string]marketplace.Translation{
				"en": {Title: "Reading lamp", Description: "<p>A lamp for <b>long</b> evenings & \"nights\".</p>"},
				"nl": {Title: "Leeslamp", Description: "Een lamp.\nVoor lange avonden."},
			},
			Category: marketplace.Category{Path: "HOME_LIGHTING_LAMPS", Name: "Lamps"},
			Shipping: []marketplace.Shipping{
				{CountryGroup: "NL", FixedCosts: "4.95", VariableCosts: "0.50", EstimatedDays: "3"},
			},
			Images: []string{"https://img.example/1.jpg", "https://img.example/2.jpg"},
			Variants: []marketplace.Variant{
				{
					ID: "v1", Title: "Red / Small", SKU: "LAMP-RS", EAN: "8710000000017", Cost: "10.00", MSRP: "19.95",
					Quantity: units(12), Policy: "DENY",
					Options: []marketplace.Option{{Name: "Color", Value: "Red"}, {Name: "Size", Value: "Small"}},
				},
				{
					ID: "v2", Title: "Blue / Large", SKU: "LAMP-BL", EAN: "8710000000024", Cost: "12.00", MSRP: "24.95",
					Quantity: units(0), Policy: "CONTINUE",
					Options: []marketplace.Option{{Name: "Color", Value: "Blue"}, {Name: "Size", Value: "Large"}},
				},
			},
		},
	}
}
