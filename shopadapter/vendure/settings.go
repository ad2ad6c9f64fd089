package vendure

import (
	"context"
	"net/url"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/imagehost"
	"github.com/pubsync/pubsync/shopadapter/internal/storefront"
)

// slugMark is where STOREFRONT_URL holds the product's slug.
const slugMark = "{slug}"

type settings struct {
	URL        shopadapter.URL        `env:"URL, required" meaning:"the Vendure server: its origin (/admin-api is added), or the full address of the Admin API"`
	Username   string                 `env:"USERNAME, required" meaning:"an administrator that may read and write the catalogue"`
	Password   string                 `env:"PASSWORD, required" secret:"true" meaning:"the administrator's password"`
	Channel    string                 `env:"CHANNEL" meaning:"the token of the channel to sell in; the default channel when empty"`
	Prices     shopadapter.PricesMode `env:"PRICES, default=auto" meaning:"how prices are entered: gross, net (divided by 1 + PUBSYNC_PRICE_VAT_PERCENT), or auto: net where the channel's prices do not include tax"`
	Storefront page                   `env:"STOREFRONT_URL" meaning:"the address of a product's page with {slug} in it; {the origin of URL}/product/{slug} when empty"`
	Weight     weightUnit             `env:"WEIGHT_UNIT, default=g" writes:"details" meaning:"g, kg, lb or oz: the unit of the custom field weight of ProductVariant"`
	Dimensions lengthUnit             `env:"DIMENSION_UNIT, default=cm" writes:"details" meaning:"cm, mm, m, in or yd: the unit of the custom fields length, width, height and diameter"`
	ImageHosts imagehost.Hosts        `env:"IMAGE_HOSTS" meaning:"host[:port] list, joined by commas, that pictures may be fetched from although the address is private"`
}

// A page is the address of every product's page.
type page string

func (p *page) EnvDecode(_ context.Context, value string) error {
	*p = page(value)
	return storefront.Valid(slugMark, "https://shop.example/product/"+slugMark)(value)
}

// endpoint is the Admin API's address and the origin it belongs to.
func endpoint(setting string) (api, origin string, err error) {
	u, err := url.Parse(setting)
	if err != nil {
		return "", "", err
	}
	origin = u.Scheme + "://" + u.Host
	if strings.Trim(u.Path, "/") == "" {
		u.Path = "/admin-api"
	}
	return u.String(), origin, nil
}
