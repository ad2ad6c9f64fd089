package vendure

import "github.com/pubsync/pubsync/shopadapter"

// serverConfig is what Vendure says of itself.
type serverConfig struct {
	ServerConfig struct {
		Precision int32 `json:"moneyStrategyPrecision"` // digits after the decimal point in an integer price
		// of each kind of thing, where it was asked for
		Declared []entityFields `json:"entityCustomFields"`
	} `json:"serverConfig"`
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
