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

func (a *Adapter) readMoney(ctx context.Context, what string) (m money, err error) {
	err = a.call(ctx, request{document: currencyDocument, estimate: 2}, &m)
	return m, step.Within(what, err)
}

// Currency is the store's own. Every price that the adapter writes is in it.
func (a *Adapter) Currency(ctx context.Context) (string, error) {
	m, err := a.readMoney(ctx, "read currency")
	return m.Shop.Currency, err
}

// Prices asks the store how it takes prices, unless the setting says it.
func (a *Adapter) Prices(ctx context.Context) (shopadapter.Prices, error) {
	return a.prices.Get(ctx, true)
}

func (a *Adapter) readPrices(ctx context.Context) (shopadapter.Prices, error) {
	m, err := a.readMoney(ctx, "read taxes")
	if err != nil {
		return shopadapter.Prices{}, err
	}
	var adds *bool
	if m.Shop.Taxes != nil {
		without := !*m.Shop.Taxes
		adds = &without
	}
	return shopadapter.ChoosePrices(Name, a.pricing, a.vat, mostPlaces, adds)
}
