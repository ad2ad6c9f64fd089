package vendure

import (
	"context"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
)

// serverConfig is what Vendure says of itself.
type serverConfig struct {
	ServerConfig struct {
		Precision int32 `json:"moneyStrategyPrecision"` // digits after the decimal point in an integer price
		// of each kind of thing, where it was asked for
		Declared []entityFields `json:"entityCustomFields"`
	} `json:"serverConfig"`
}

// Prices is how the channel takes prices, unless the setting says it.
func (a *Adapter) Prices(ctx context.Context) (shopadapter.Prices, error) {
	var answer struct {
		ActiveChannel  channel      `json:"activeChannel"`
		GlobalSettings serverConfig `json:"globalSettings"`
	}
	if err := a.call(ctx, pricesDocument, nil, &answer); err != nil {
		return shopadapter.Prices{}, step.Within("read taxes", err)
	}
	return a.pricesIn(answer.ActiveChannel, answer.GlobalSettings.ServerConfig.Precision)
}

// pricesIn is how prices are entered in a channel.
func (a *Adapter) pricesIn(c channel, precision int32) (shopadapter.Prices, error) {
	var adds *bool
	if c.Inclusive != nil {
		without := !*c.Inclusive
		adds = &without
	}
	return shopadapter.ChoosePrices(Name, a.pricing, a.vat, int(precision), adds)
}
