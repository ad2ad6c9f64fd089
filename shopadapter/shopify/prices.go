package shopify

import (
	"context"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
)

// mostPlaces is how many decimals a price has in Shopify.
const mostPlaces = 2

// money is what the store says of its prices.
type money struct {
	Shop struct {
		Currency string `json:"currencyCode"`
		Taxes    *bool  `json:"taxesIncluded"`
	} `json:"shop"`
}

// A pricing is the store's currency, in which every price is written, and how it takes prices.
type pricing struct {
	shopadapter.Prices
	currency string
}

// readPrices asks the store for both. How it takes prices may be in the settings instead.
func (a *Adapter) readPrices(ctx context.Context) (p pricing, err error) {
	var m money
	if err := a.call(ctx, request{document: currencyDocument, estimate: 2}, &m); err != nil {
		return p, step.Within("read currency and taxes", err)
	}
	var adds *bool
	if m.Shop.Taxes != nil {
		without := !*m.Shop.Taxes
		adds = &without
	}
	p.currency = m.Shop.Currency
	p.Prices, err = shopadapter.ChoosePrices(Name, a.pricing, a.vat, mostPlaces, adds)
	return p, err
}
