package setup

import (
	"context"
	"errors"
	"time"

	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/shopadapter"
)

// A start waits for the shop's answer to the question for its currency.
const (
	startRequest = 10 * time.Second // bounds each request of the question
	startTimeout = 30 * time.Second // bounds all of them
)

// sameAtStart is SameCurrency for a start.
func (c *Setup) sameAtStart(ctx context.Context, shop shopadapter.Adapter) error {
	ctx, cancel := context.WithTimeout(shopadapter.EachRequest(ctx, startRequest), startTimeout)
	defer cancel()
	return c.SameCurrency(ctx, shop)
}

// SameCurrency returns an error if the shop says that it sells in another currency than the
// marketplace's. PUBSYNC_SHOP_CURRENCY counts only if the adapter cannot tell. A shop that does not
// answer now does not stop a start: each check asks it again.
func (c *Setup) SameCurrency(ctx context.Context, shop shopadapter.Adapter) error {
	pricer, ok := shop.(shopadapter.Pricer)
	if !ok {
		return nil
	}
	theirs, err := pricer.Currency(ctx)
	if err != nil || shopadapter.SameCurrency(theirs, c.Rules.Currency) == nil {
		return nil //nolint:nilerr // the shop's own check says why it does not answer
	}
	return &exit.Error{Code: desk.ExitUsage, Err: errors.New(shopadapter.CurrenciesDiffer(theirs, c.Rules.Currency))}
}
