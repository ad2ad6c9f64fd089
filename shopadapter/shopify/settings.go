package shopify

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// apiVersion is the version that the documents are written for.
const apiVersion = "2026-07"

const onlineStore = "Online Store"

type settings struct {
	Store      store                  `env:"STORE, required" meaning:"the store's permanent address, my-shop.myshopify.com, or its first part alone"`
	Token      shopadapter.Token      `env:"TOKEN, required" secret:"true" meaning:"the Admin API access token of a custom app in that store"`
	URL        shopadapter.URL        `env:"URL" meaning:"scheme and host to send requests to instead of the store's own, for a proxy"`
	Location   string                 `env:"LOCATION" meaning:"name or id of the location that holds the stock; the store's primary location when empty"`
	ImageHosts kit.Hosts              `env:"IMAGE_HOSTS" meaning:"host[:port] list, joined by commas, that pictures may be fetched from although the address is private"`
	Prices     shopadapter.PricesMode `env:"PRICES, default=auto" oneof:"auto,gross,net" meaning:"how prices are entered: gross, net (divided by 1 + PUBSYNC_PRICE_VAT_PERCENT), or auto: net where the store's prices do not include taxes (Settings, Taxes and duties)"`
	Channel    string                 `env:"PUBLICATION, default=Online Store" meaning:"name of the sales channel to publish to"`
}

var storeName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)

// A store is a store's permanent name, read from any address that a merchant meets.
type store string

func (s *store) EnvDecode(_ context.Context, value string) error {
	name := strings.ToLower(strings.TrimSpace(value))
	name = strings.TrimPrefix(strings.TrimPrefix(name, "https://"), "http://")
	name = strings.TrimPrefix(name, "admin.shopify.com/store/")
	name, _, _ = strings.Cut(name, "/")
	name = strings.TrimSuffix(name, ".myshopify.com")
	*s = store(name)
	if !storeName.MatchString(name) {
		return errors.New("must be the store's permanent name, for example my-shop.myshopify.com: it is under Settings, " +
			"Domains in Shopify")
	}
	return nil
}

func endpoint(origin, store string) string {
	origin = cmp.Or(origin, "https://"+store+".myshopify.com")
	return strings.TrimRight(origin, "/") + "/admin/api/" + apiVersion + "/graphql.json"
}
