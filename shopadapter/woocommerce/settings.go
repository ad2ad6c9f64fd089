package woocommerce

import (
	"errors"
	"net/url"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

func settings() []shopadapter.Setting {
	return []shopadapter.Setting{
		{
			Name: "URL", Required: true, Valid: validURL,
			Meaning: "the shop's address, the one of its front page; https, unless it is a test shop",
		},
		{
			Name: "KEY", Required: true, Secret: true, Valid: validToken,
			Meaning: "consumer key (ck_…) with read and write permission: WooCommerce > Settings > Advanced > REST API",
		},
		{Name: "SECRET", Required: true, Secret: true, Valid: validToken, Meaning: "the consumer secret (cs_…) that belongs to the key"},
		{
			Name: "ADOPT", Valid: validAdopt,
			Meaning: "sku: take over a product of your own that has the supplier's SKU, its texts stay yours; empty: never",
		},
		{
			Name: "CATEGORIES", Valid: validMapping,
			Meaning: "the marketplace's category paths and the shop's, such as GARDEN_TOOLS=Garden/Tools; GARDEN=Outdoors; a path covers those below it. " +
				"What is not named here is looked for by its path and by its name",
		},
		{Name: "CATEGORIES_FILE", Meaning: "a file with such a mapping, one on a line; # begins a remark"},
	}
}

// apiPath is where the API is below the shop's address.
const apiPath = "/wp-json/wc/v3"

func validURL(value string) error {
	u, err := url.Parse(value)
	switch {
	case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "":
		return errors.New("must be an absolute http or https address, such as https://shop.example.com")
	case u.User != nil:
		return errors.New("must not contain a user name or password: KEY and SECRET are settings of their own")
	case u.RawQuery != "" || u.ForceQuery || strings.Contains(value, "#"):
		return errors.New("must not contain a query or a fragment: paths are added to its end")
	}
	return nil
}

// shopAddress is the address without a slash, and without the API's path for those who have copied that along. Its host is in the form in which
// WordPress signs it: lower case, without the port that goes without saying.
func shopAddress(value string) string {
	if u, err := url.Parse(value); err == nil {
		u.Host = strings.ToLower(u.Host)
		if port := u.Port(); u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
			u.Host = strings.TrimSuffix(u.Host, ":"+port)
		}
		value = u.String()
	}
	value = strings.TrimRight(value, "/")
	for _, tail := range []string{apiPath, "/wp-json/wc", "/wp-json"} {
		value = strings.TrimRight(strings.TrimSuffix(value, tail), "/")
	}
	return value
}

func validToken(value string) error {
	for _, c := range []byte(value) {
		if c <= ' ' || c > '~' || c == ':' {
			return errors.New("must consist of visible ASCII characters without spaces and colons")
		}
	}
	return nil
}

func validAdopt(value string) error {
	if value != "" && value != "sku" {
		return errors.New("must be sku or empty")
	}
	return nil
}

var errMapping = errors.New("must be pairs PATH=Category/Subcategory, joined by semicolons or line ends")

func validMapping(value string) error {
	_, err := parseMapping(value)
	return err
}

// parseMapping reads pairs of a category path of the marketplace's and one of the shop's.
func parseMapping(value string) (map[string]string, error) {
	mapping := map[string]string{}
	for line := range strings.Lines(value) {
		line, _, _ = strings.Cut(line, "#")
		for pair := range strings.SplitSeq(line, ";") {
			if strings.TrimSpace(pair) == "" {
				continue
			}
			path, target, ok := strings.Cut(pair, "=")
			path, target = foldWords(path), strings.TrimSpace(target)
			if !ok || path == "" || foldPath(target) == "" {
				return nil, errMapping
			}
			mapping[path] = target
		}
	}
	return mapping, nil
}
