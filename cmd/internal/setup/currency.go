package setup

import (
	"context"
	"errors"
	"time"

	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/shopadapter"
)

// currencyTimeout bounds the question for the shop's currency, which a start waits for.
const currencyTimeout = 10 * time.Second

// SameCurrency is nil unless the shop says that it sells in another currency than the
// marketplace's. PUBSYNC_SHOP_CURRENCY counts only where the adapter cannot tell. A shop that
// cannot say now does not keep the worker from starting: it is asked again with each check.
func (c *Setup) SameCurrency(ctx context.Context, shop shopadapter.Adapter) error {
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
	return &exit.Error{Code: desk.ExitUsage, Err: errors.New(shopadapter.CurrenciesDiffer(theirs, c.Rules.Currency))}
}
