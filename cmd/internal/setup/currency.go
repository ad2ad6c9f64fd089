package setup

import (
	"context"
	"errors"
	"time"

	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/shopadapter"
)

// currencyTimeout bounds the question for the shop's currency: a start waits for the answer.
const currencyTimeout = 10 * time.Second

// SameCurrency returns an error if the shop says that it sells in another currency than the
// marketplace's. PUBSYNC_SHOP_CURRENCY counts only if the adapter cannot tell. A shop that does not
// answer now does not stop a start: each check asks it again.
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
