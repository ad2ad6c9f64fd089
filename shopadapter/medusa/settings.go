package medusa

import (
	"errors"
	"regexp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/delivery"
	"github.com/pubsync/pubsync/shopadapter/internal/storefront"
)

// handleMark is where STOREFRONT_URL holds the product's handle.
const handleMark = "{handle}"

func settings() []shopadapter.Setting {
	return []shopadapter.Setting{
		{Name: "URL", Required: true, Valid: shopadapter.ValidURL, Meaning: "the address of the Medusa server; /admin is added"},
		{Name: "TOKEN", Required: true, Secret: true, Valid: shopadapter.ValidToken, Meaning: "a secret API key (Settings, Secret API Keys)"},
		{
			Name: "STOREFRONT_URL", Required: true, Valid: storefront.Valid(handleMark, "https://shop.example/products/"+handleMark),
			Meaning: "the address of a product's page in the storefront, with {handle} in it",
		},
		{Name: "SALES_CHANNEL", Meaning: "id or name of the sales channel to sell in; the store's default when empty"},
		{Name: "STOCK_LOCATION", Meaning: "id or name of the stock location; the store's default, or the only one of the channel, when empty"},
		{
			Name: "CURRENCY", Valid: valid(`^[A-Za-z]{3}$`, "must be a currency code of three letters, for example EUR"),
			Meaning: "the currency that prices are written in; the store's default when empty",
		},
		{
			Name: "DELIVERY", Default: delivery.Shown, Valid: valid(`^(shown|off)$`, "must be shown or off"),
			Meaning: "shown or off: whether shipping and returns go into the product's metadata, as pubsync_delivery, without what the supplier charges: " +
				"storefronts can read it",
		},
		{
			Name: "PRICES", Default: "gross", Valid: valid(`^(gross|net)$`, "must be gross or net"),
			Meaning: "gross or net: whether prices include tax; the currency must be set alike in Medusa (Settings, Store)",
		},
	}
}

// valid is a Setting.Valid for values of a form.
func valid(form, advice string) func(string) error {
	return func(value string) error {
		if !regexp.MustCompile(form).MatchString(value) {
			return errors.New(advice)
		}
		return nil
	}
}
