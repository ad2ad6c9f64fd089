package cmd

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/shopadapter"
)

// currencyTimeout bounds the question for the shop's currency, which a start waits for.
const currencyTimeout = 10 * time.Second

// sameCurrency is nil unless the shop says that it sells in another currency than the
// marketplace's. PUBSYNC_SHOP_CURRENCY counts only where the adapter cannot tell. A shop that
// cannot say now does not keep the worker from starting: it is asked again with each check.
func (c *setup) sameCurrency(ctx context.Context, shop shopadapter.Adapter) error {
	pricer, ok := shop.(shopadapter.Pricer)
	if !ok {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, currencyTimeout)
	defer cancel()
	theirs, err := pricer.Currency(ctx)
	if err != nil || shopadapter.SameCurrency(theirs, c.Rules.Currency) == nil {
		return nil //nolint:nilerr // the shop's own check says why it does not answer
	}
	return &exitError{code: desk.ExitUsage, err: errors.New(shopadapter.CurrenciesDiffer(theirs, c.Rules.Currency))}
}

// samplePrice is the price that the doctor follows to the visitor: two decimals of a net price
// cannot show it at 21 % VAT.
const samplePrice = "20.02"

// shownPrice says, on a line of its own, what becomes of one price in a shop that may take prices
// without tax; "" where the adapter cannot tell.
func shownPrice(ctx context.Context, shop shopadapter.Adapter) (string, error) {
	taxer, ok := shop.(shopadapter.Taxer)
	if !ok {
		return "", nil
	}
	prices, err := taxer.Prices(ctx)
	if err != nil {
		return "", err
	}
	entered := prices.Enter(samplePrice)
	text := fmt.Sprintf("\n%s from pubsync is written as %s", samplePrice, entered)
	if prices.Note == "" {
		text += ", as the visitor sees it"
	}
	if prices.Net() {
		shown := prices.Shown(entered)
		text = fmt.Sprintf(
			"\n%s from pubsync is written as %s net, the visitor sees %s with %s %% VAT",
			samplePrice,
			entered,
			shown,
			prices.VAT,
		)
		if shown != samplePrice {
			more := decimal.RequireFromString(shown).Sub(decimal.RequireFromString(samplePrice))
			text += fmt.Sprintf(": off by %s, since the shop takes %d decimals", more.StringFixed(2), prices.Places)
		}
	}
	if prices.Note != "" {
		text += "\n" + prices.Note
	}
	return text, nil
}
