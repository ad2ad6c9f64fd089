package cmd

import (
	"context"
	"errors"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/shopadapter"
)

// currencyTimeout bounds the question for the shop's currency, which a start waits for.
const currencyTimeout = 10 * time.Second

// askedCurrency is what the shop's currency is compared with while the worker runs; "" where the setting has answered already.
func (c *config) askedCurrency() string {
	if c.ShopCurrency != "" {
		return ""
	}
	return c.rules.Currency
}

// sameCurrency is nil unless the shop says that it sells in another currency than the marketplace's. A shop that cannot say now does not keep the worker
// from starting: it is asked again with each check.
func (c *config) sameCurrency(ctx context.Context, shop shopadapter.Adapter) error {
	pricer, ok := shop.(shopadapter.Pricer)
	if !ok || c.askedCurrency() == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, currencyTimeout)
	defer cancel()
	theirs, err := pricer.Currency(ctx)
	if err != nil || shopadapter.SameCurrency(theirs, c.rules.Currency) == nil {
		return nil //nolint:nilerr // the shop's own check says why it does not answer
	}
	return &exitError{code: desk.ExitUsage, err: errors.New(shopadapter.CurrenciesDiffer(theirs, c.rules.Currency))}
}
