package shopify

import (
	"errors"
	"net/url"
	"regexp"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/delivery"
	"github.com/pubsync/pubsync/shopadapter/internal/imagehost"
)

// defaultVersion is the version of the Admin API whose schema the documents were written against.
const defaultVersion = "2026-07"

// onlineStore is the publication that products go to unless PUBLICATION says otherwise.
const onlineStore = "Online Store"

func settings() []shopadapter.Setting {
	return []shopadapter.Setting{
		{
			Name: "STORE", Required: true, Valid: validStore,
			Meaning: "the store's permanent address, my-shop.myshopify.com, or its first part alone",
		},
		{Name: "TOKEN", Required: true, Secret: true, Valid: shopadapter.ValidToken, Meaning: "the Admin API access token of a custom app in that store"},
		{
			Name: "API_VERSION", Default: defaultVersion, Valid: validVersion,
			Meaning: "the version of the Admin API, such as 2026-07",
		},
		{Name: "URL", Valid: validOrigin, Meaning: "scheme and host to send requests to instead of the store's own, for a proxy"},
		{Name: "LOCATION", Meaning: "name or id of the location that holds the stock; the store's primary location when empty"},
		{
			Name: "DELIVERY", Default: delivery.Hidden, Valid: delivery.Valid,
			Meaning: "shipping and returns as product metafields: hidden (pubsync.supplier_delivery, with what the supplier charges), " +
				"shown (also pubsync.delivery, without it, for your theme), or off",
		},
		imagehost.Setting(),
		shopadapter.PricesSetting("net where the store's prices do not include taxes (Settings, Taxes and duties)"),
		{Name: "PUBLICATION", Default: onlineStore, Meaning: "name of the sales channel to publish to"},
	}
}

var (
	storeName   = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)
	versionName = regexp.MustCompile(`^(\d{4}-\d{2}|unstable)$`)

	errStore = errors.New("must be the store's permanent name, for example my-shop.myshopify.com: it is under Settings, Domains in Shopify")
)

// handle is the store's permanent name. It reads the forms in which a merchant meets it: with and without the domain, as an address, and the
// address of the back office.
func handle(setting string) (string, error) {
	s := strings.ToLower(strings.TrimSpace(setting))
	s = strings.TrimPrefix(strings.TrimPrefix(s, "https://"), "http://")
	s = strings.TrimPrefix(s, "admin.shopify.com/store/")
	s, _, _ = strings.Cut(s, "/")
	s = strings.TrimSuffix(s, ".myshopify.com")
	if !storeName.MatchString(s) {
		return "", errStore
	}
	return s, nil
}

func validStore(value string) error {
	_, err := handle(value)
	return err
}

func validVersion(value string) error {
	if !versionName.MatchString(value) {
		return errors.New("must be a year and a month, for example " + defaultVersion)
	}
	return nil
}

func validOrigin(value string) error {
	if err := shopadapter.ValidURL(value); err != nil {
		return err
	}
	if u, err := url.Parse(value); err != nil || strings.Trim(u.Path, "/") != "" {
		return errors.New("must be a scheme and a host, without a path")
	}
	return nil
}

// endpoint is where requests go.
func endpoint(origin, store, version string) string {
	if origin == "" {
		origin = "https://" + store + ".myshopify.com"
	}
	return strings.TrimRight(origin, "/") + "/admin/api/" + version + "/graphql.json"
}
