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

// sameAtStart is SameCurrency for a start, and what the shop says. A shop that does not answer now does
// not stop it: the worker checks it again.
func (c *Setup) sameAtStart(ctx context.Context, shop shopadapter.Adapter) (said *shopadapter.Info, err error) {
	ctx, cancel := context.WithTimeout(shopadapter.EachRequest(ctx, startRequest), startTimeout)
	defer cancel()
	is, err := shop.Check(ctx)
	if err != nil {
		return nil, nil //nolint:nilerr,nilnil // see above
	}
	return &is, c.SameCurrency(is)
}

// SameCurrency returns an error if the shop says that it sells in another currency than the
// marketplace's. PUBSYNC_SHOP_CURRENCY counts only if the adapter cannot tell.
func (c *Setup) SameCurrency(is shopadapter.Info) error {
	if shopadapter.SameCurrency(is.Currency, c.Rules.Currency) == nil {
		return nil
	}
	return &exit.Error{Code: desk.ExitUsage, Err: errors.New(shopadapter.CurrenciesDiffer(is.Currency, c.Rules.Currency))}
}
