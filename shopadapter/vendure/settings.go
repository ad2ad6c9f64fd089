package vendure

import (
	"errors"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
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
		{
			Name: "STOREFRONT_URL", Valid: storefront.Valid(slugMark, "https://shop.example/product/"+slugMark),
			Meaning: "the address of a product's page with {slug} in it; {the origin of URL}/product/{slug} when empty",
		},
		{
			Name: "DELIVERY_FIELD", Valid: validField,
			Meaning: "the custom field of Product, of the type text, that takes shipping and returns, without what the supplier charges; none when empty",
		},
		{
			Name: "IMAGE_HOSTS", Valid: validHosts,
			Meaning: "host[:port] list, joined by commas, that pictures may be fetched from although the address is private",
		},
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

var errHosts = errors.New("must be host names or addresses, each with or without a port, joined by commas")

func validHosts(value string) error {
	for _, entry := range hosts(value) {
		name := entry
		if h, port, err := net.SplitHostPort(entry); err == nil {
			if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
				return errHosts
			}
			name = h
		}
		if name == "" || strings.ContainsAny(name, "/@?# ") || strings.Contains(name, ":") && net.ParseIP(strings.Trim(name, "[]")) == nil {
			return errHosts
		}
	}
	return nil
}

func hosts(value string) []string {
	var list []string
	for _, entry := range strings.Split(value, ",") {
		if entry = strings.TrimSpace(entry); entry != "" {
			list = append(list, entry)
		}
	}
	return list
}
