package harness

import (
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// Reprice has the suppliers change their prices by a little.
func (b *Bench) Reprice(ids []string, how ...sandbox.Change) {
	b.T.Helper()
	for _, id := range ids {
		if err := b.Market.SetPrice(id, "", "10.00", "21.00", how...); err != nil {
			b.T.Fatal(err)
		}
	}
}

// Update has the supplier change a listing.
func (b *Bench) Update(id string, f func(*sandbox.Listing)) {
	b.T.Helper()
	if err := b.Market.Update(id, f); err != nil {
		b.T.Fatal(err)
	}
}

// OneVariant is a listing with one variant.
func OneVariant(cost, msrp string, quantity int) *sandbox.Listing {
	return &sandbox.Listing{
		Texts: map[string]sandbox.Text{
			"en": {Title: "Watering can", Description: "<p>Holds water.</p>"},
		}, Category: "GARDEN",
		Variants: []sandbox.Variant{
			{
				ID:       "v1",
				SKU:      "WC-1",
				Cost:     cost,
				MSRP:     msrp,
				Quantity: quantity,
				Options:  []sandbox.Option{{Name: "Size", Value: "M"}},
			},
		},
	}
}

// OddShapes has the marketplace give all that is not essential in another shape, and change one
// price at the same time.
func (b *Bench) OddShapes(ids ...string) {
	b.Market.Inject(sandbox.Fault{
		Kind: sandbox.OddShape, Probability: 1, On: []sandbox.Kind{sandbox.KindContent},
		Fields: []string{"images", "category", "dropshippingShippingDetails", "dropshippingReturns", "ean"},
	})
	b.Reprice(ids)
}
