package woocommerce

import (
	"errors"
	"net/url"
	"regexp"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/delivery"
	"github.com/pubsync/pubsync/shopadapter/internal/imagehost"
)

func settings() []shopadapter.Setting {
	return []shopadapter.Setting{
		{
			Name: "URL", Required: true, Valid: shopadapter.ValidURL,
			Meaning: "the shop's address, the one of its front page; https, unless it is a test shop",
		},
		{
			Name: "KEY", Required: true, Secret: true, Valid: validKey,
			Meaning: "consumer key (ck_…) with read and write permission: WooCommerce > Settings > Advanced > REST API",
		},
		{Name: "SECRET", Required: true, Secret: true, Valid: validKey, Meaning: "the consumer secret (cs_…) that belongs to the key"},
		{
			Name: "ADOPT", Valid: validAdopt,
			Meaning: "sku: take over a product of your own that has the supplier's SKU, its texts stay yours; empty: never",
		},
		{
			Name: "CATEGORIES", Valid: validMapping,
			Meaning: "the marketplace's category paths and the shop's, such as GARDEN_TOOLS=Garden/Tools; GARDEN=Outdoors; a path covers those below it. " +
				"What is not named here is looked for by its branch, its path and its name",
		},
		{
			Name: "MISSING_CATEGORIES", Default: missingMade, Valid: validMissing,
			Meaning: "make: a category that is not there is made with its branch, level by level, where the marketplace tells its tree; warn: you are told of it",
		},
		shopadapter.PricesSetting("net where the shop calculates taxes and prices are entered without them (WooCommerce > Settings > Tax)"),
		{
			Name: "DELIVERY", Default: delivery.Hidden, Valid: delivery.Valid,
			Meaning: "shipping and returns as product meta: hidden (_pubsync_delivery, for you alone, with what the supplier charges), " +
				"shown (also pubsync_delivery, without it, for your theme), or off",
		},
		imagehost.Setting(),
		{Name: "CATEGORIES_FILE", Meaning: "a file with such a mapping, one on a line; # begins a remark"},
	}
}

// apiPath is where the API is below the shop's address.
const apiPath = "/wp-json/wc/v3"

// pasted begins the path of what may have been copied along from a browser: the API's, the back office's.
var pasted = regexp.MustCompile(`/(?:wp-json|wp-admin|wp-login\.php|index\.php)(?:/.*)?$`)

// shopAddress is the address without a slash, and without the API's path or the back office's for those who have copied that along. Its host is in the form in which
// WordPress signs it: lower case, without the port that goes without saying.
func shopAddress(value string) string {
	if u, err := url.Parse(value); err == nil {
		u.Host = strings.ToLower(u.Host)
		if port := u.Port(); u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
			u.Host = strings.TrimSuffix(u.Host, ":"+port)
		}
		value = u.String()
	}
	return strings.TrimRight(pasted.ReplaceAllString(strings.TrimRight(value, "/"), ""), "/")
}

// validKey keeps colons out of what Basic authentication joins with one.
func validKey(value string) error {
	if strings.Contains(value, ":") {
		return errors.New("must not contain a colon, which parts key and secret in a header")
	}
	return shopadapter.ValidToken(value)
}

func validAdopt(value string) error {
	if value != "" && value != "sku" {
		return errors.New("must be sku or empty")
	}
	return nil
}

func validMissing(value string) error {
	if value != missingMade && value != missingWarned {
		return errors.New("must be make or warn")
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
