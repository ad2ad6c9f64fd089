package vendure

import (
	"net/url"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/imagehost"
	"github.com/pubsync/pubsync/shopadapter/internal/storefront"
)

// slugMark is where STOREFRONT_URL holds the product's slug.
const slugMark = "{slug}"

func settings() []shopadapter.Setting {
	return []shopadapter.Setting{
		{
			Name: "URL", Required: true, Valid: shopadapter.ValidURL,
			Meaning: "the Vendure server: its origin (/admin-api is added), or the full address of the Admin API",
		},
		{Name: "USERNAME", Required: true, Meaning: "an administrator that may read and write the catalogue"},
		{Name: "PASSWORD", Required: true, Secret: true, Meaning: "the administrator's password"},
		{Name: "CHANNEL", Meaning: "the token of the channel to sell in; the default channel when empty"},
		shopadapter.PricesSetting("net where the channel's prices do not include tax"),
		{
			Name: "STOREFRONT_URL", Valid: storefront.Valid(slugMark, "https://shop.example/product/"+slugMark),
			Meaning: "the address of a product's page with {slug} in it; {the origin of URL}/product/{slug} when empty",
		},
		{
			Name: "DELIVERY_FIELD", Valid: validField,
			Meaning: "the custom field of Product, of the type text, that takes shipping and returns, without what the supplier charges; none when empty",
		},
		imagehost.Setting(),
	}
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
