package harness

import (
	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// Update has the supplier change a listing.
func (b *Bench) Update(id string, f func(*sandbox.Listing)) {
	b.T.Helper()
	if err := b.Market.Update(id, f); err != nil {
		b.T.Fatal(err)
	}
}

// OneVariant returns a listing with one variant.
func OneVariant(cost, msrp string, quantity int) *sandbox.Listing {
	return &sandbox.Listing{
		Texts:    map[string]sandbox.Text{"en": {Title: "Watering can", Description: "<p>Holds water.</p>"}},
		Category: "GARDEN",
		Variants: []sandbox.Variant{{
			ID: "v1", SKU: "WC-1", Cost: cost, MSRP: msrp, Quantity: quantity,
			Options: []sandbox.Option{{Name: "Size", Value: "M"}},
		}},
	}
}

// Markup has rules add percents to each price.
func Markup(percent int64) func(*connector.Options) {
	return func(o *connector.Options) { o.Rules.Price.Markup = decimal.NewFromInt(percent) }
}

// Unthrottled makes a bucket that never runs empty. A single query stays bounded.
func Unthrottled() sandbox.Options {
	return sandbox.Options{Limit: 1 << 30, RestoreRate: 1 << 30, QueryLimit: 2000}
}
