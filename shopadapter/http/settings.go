package httpshop

import "github.com/pubsync/pubsync/shopadapter"

type settings struct {
	URL    shopadapter.URL        `env:"URL, required" meaning:"base address of the endpoint: PUT {URL}/products/{id}"`
	Token  shopadapter.Token      `env:"TOKEN" secret:"true" meaning:"sent to the endpoint as Authorization: Bearer {token}"`
	Prices shopadapter.PricesMode `env:"PRICES, default=auto" meaning:"how prices are entered: gross, net (divided by 1 + PUBSYNC_PRICE_VAT_PERCENT), or auto: gross, an endpoint does not say"`
}
