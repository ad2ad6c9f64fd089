package woocommerce

import (
	"context"
	"errors"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/imagehost"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/category"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
)

type settings struct {
	URL               address                `env:"URL, required" meaning:"the shop's address, the one of its front page; https, unless it is a test shop"`
	Key               key                    `env:"KEY, required" secret:"true" meaning:"consumer key (ck_…) with read and write permission: WooCommerce > Settings > Advanced > REST API"`
	Secret            key                    `env:"SECRET, required" secret:"true" meaning:"the consumer secret (cs_…) that belongs to the key"`
	Adopt             adoption               `env:"ADOPT" meaning:"sku: take over a product of your own that has the supplier's SKU, its texts stay yours; empty: never"`
	Categories        category.Mapping       `env:"CATEGORIES" meaning:"the marketplace's category paths and the shop's, such as GARDEN_TOOLS=Garden/Tools; GARDEN=Outdoors; a path covers those below it. What is not named here is looked for by its branch, its path and its name"`
	MissingCategories category.Absence       `env:"MISSING_CATEGORIES, default=make" meaning:"make: a category that is not there is made with its branch, level by level, where the marketplace tells its tree; warn: you are told of it"`
	Prices            shopadapter.PricesMode `env:"PRICES, default=auto" meaning:"how prices are entered: gross, net (divided by 1 + PUBSYNC_PRICE_VAT_PERCENT), or auto: net where the shop calculates taxes and prices are entered without them (WooCommerce > Settings > Tax)"`
	ImageHosts        imagehost.Hosts        `env:"IMAGE_HOSTS" meaning:"host[:port] list, joined by commas, that pictures may be fetched from although the address is private"`
	CategoriesFile    string                 `env:"CATEGORIES_FILE" meaning:"a file with such a mapping, one on a line; # begins a remark"`
}

// An address is a shop's, see shopAddress.
type address string

func (a *address) EnvDecode(ctx context.Context, value string) error {
	err := new(shopadapter.URL).EnvDecode(ctx, value)
	*a = address(rest.ShopAddress(value))
	return err
}

// A key is what Basic authentication joins with a colon, which must not stand in it.
type key string

func (k *key) EnvDecode(ctx context.Context, value string) error {
	if strings.Contains(value, ":") {
		return errors.New("must not contain a colon, which parts key and secret in a header")
	}
	return (*shopadapter.Token)(k).EnvDecode(ctx, value)
}

// An adoption says by what a product of the merchant's own is taken over; "": by nothing.
type adoption string

func (a *adoption) EnvDecode(_ context.Context, value string) error {
	if *a = adoption(value); value != "sku" {
		return errors.New("must be sku or empty")
	}
	return nil
}
