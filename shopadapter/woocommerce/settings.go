package woocommerce

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/imagehost"
	"github.com/pubsync/pubsync/shopadapter/regular"
)

type settings struct {
	URL               address                `env:"URL, required" meaning:"the shop's address, the one of its front page; https, unless it is a test shop"`
	Key               key                    `env:"KEY, required" secret:"true" meaning:"consumer key (ck_…) with read and write permission: WooCommerce > Settings > Advanced > REST API"`
	Secret            key                    `env:"SECRET, required" secret:"true" meaning:"the consumer secret (cs_…) that belongs to the key"`
	Adopt             string                 `env:"ADOPT" oneof:"sku" meaning:"sku: take over a product of your own that has the supplier's SKU, its texts stay yours; empty: never"`
	Categories        mapping                `env:"CATEGORIES" meaning:"the marketplace's category paths and the shop's, such as GARDEN_TOOLS=Garden/Tools; GARDEN=Outdoors; a path covers those below it. What is not named here is looked for by its branch, its path and its name"`
	MissingCategories string                 `env:"MISSING_CATEGORIES, default=make" oneof:"make,warn" meaning:"make: a category that is not there is made with its branch, level by level, where the marketplace tells its tree; warn: you are told of it"`
	Prices            shopadapter.PricesMode `env:"PRICES, default=auto" meaning:"how prices are entered: gross, net (divided by 1 + PUBSYNC_PRICE_VAT_PERCENT), or auto: net where the shop calculates taxes and prices are entered without them (WooCommerce > Settings > Tax)"`
	ImageHosts        imagehost.Hosts        `env:"IMAGE_HOSTS" meaning:"host[:port] list, joined by commas, that pictures may be fetched from although the address is private"`
	CategoriesFile    string                 `env:"CATEGORIES_FILE" meaning:"a file with such a mapping, one on a line; # begins a remark"`
}

// An address is a shop's, see shopAddress.
type address string

func (a *address) EnvDecode(ctx context.Context, value string) error {
	err := new(shopadapter.URL).EnvDecode(ctx, value)
	*a = address(shopAddress(value))
	return err
}

// pasted begins the path of what may have been copied along from a browser: the API's, the back
// office's.
var pasted = regexp.MustCompile(`/(?:wp-json|wp-admin|wp-login\.php|index\.php)(?:/.*)?$`)

// shopAddress is the address without a slash, and without the API's path or the back office's for
// those who have copied that along. Its host is in the form in which WordPress signs it: lower
// case, without the scheme's own port.
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

// A key is what Basic authentication joins with a colon, which must not stand in it.
type key string

func (k *key) EnvDecode(ctx context.Context, value string) error {
	if strings.Contains(value, ":") {
		return errors.New("must not contain a colon, which parts key and secret in a header")
	}
	return (*shopadapter.Token)(k).EnvDecode(ctx, value)
}

// A mapping is the shop's path of a category by the marketplace's, folded.
type mapping map[string]string

func (m *mapping) EnvDecode(_ context.Context, value string) (err error) {
	*m, err = parseMapping(value)
	return err
}

func parseMapping(value string) (mapping, error) {
	pairs := mapping{}
	for line := range strings.Lines(value) {
		line, _, _ = strings.Cut(line, "#")
		for pair := range strings.SplitSeq(line, ";") {
			if strings.TrimSpace(pair) == "" {
				continue
			}
			path, target, ok := strings.Cut(pair, "=")
			path, target = fold(path), strings.TrimSpace(target)
			if !ok || path == "" || foldPath(target) == "" {
				return nil, errors.New("must be pairs PATH=Category/Subcategory, joined by semicolons or line ends")
			}
			pairs[path] = target
		}
	}
	return pairs, nil
}

// mostMapping bounds the file of a mapping, in bytes.
const mostMapping = 1 << 20

// readMapping is the mapping of both settings, of which the one in the environment counts.
func readMapping(own mapping, file string) (mapping, error) {
	pairs := mapping{}
	if file != "" {
		text, err := regular.Read(file, mostMapping)
		if err != nil {
			return nil, fmt.Errorf("read PUBSYNC_WOOCOMMERCE_CATEGORIES_FILE: %w", err)
		}
		if pairs, err = parseMapping(string(text)); err != nil {
			return nil, fmt.Errorf("the file of PUBSYNC_WOOCOMMERCE_CATEGORIES_FILE %w", err)
		}
	}
	maps.Copy(pairs, own)
	return pairs, nil
}
