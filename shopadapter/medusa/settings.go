package medusa

import (
	"errors"
	"regexp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/storefront"
)

// handleMark is where STOREFRONT_URL holds the product's handle.
const handleMark = "{handle}"

// The two values of PRICES.
const (
	gross = "gross"
	net   = "net"
)

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
		{Name: "CURRENCY", Valid: validCurrency, Meaning: "the currency that prices are written in; the store's default when empty"},
		{
			Name: "PRICES", Default: gross, Valid: validPrices,
			Meaning: "gross or net: whether prices include tax; the currency must be set alike in Medusa (Settings, Store)",
		},
	}
}

var currencyCode = regexp.MustCompile(`^[A-Za-z]{3}$`)

func validCurrency(value string) error {
	if !currencyCode.MatchString(value) {
		return errors.New("must be a currency code of three letters, for example EUR")
	}
	return nil
}

func validPrices(value string) error {
	if value != gross && value != net {
		return errors.New("must be gross or net")
	}
	return nil
}
