// Package woocommerce keeps listings in a WooCommerce shop, 9.6 or later, through its REST API v3. The comments tell
// how WooCommerce 11 behaves.
//
// Each write reads the product and its variations and writes what differs: a draft with its note and its SKU, then
// options, then variations in batches, then texts, pictures and "publish" in one request. A call may end after any
// step, and the next one converges.
//
// WooCommerce cannot search its metadata. So a product is found by its SKU, which stays unique even when two
// requests arrive at the same moment. The note, under the key "_pubsync", says whose the product is and what was
// written last. A copy that the merchant makes carries the note too; the product's id in the note tells them apart.
//
// PHP goes on working when its client is gone. After a write without an answer the adapter reads the variations
// until they stand still, and deletes the younger of a double. PHP writes the status before the price, so a new
// variation on a product on sale stays private until the shop has shown it whole. Its mark says that it waits; the
// merchant switched off a private variation without that mark.
package woocommerce

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/memo"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// Name is the registered name of the adapter.
const Name = "woocommerce"

// believed is how long the shop's settings are used once they are read.
const believed = 10 * time.Minute

type adapter struct {
	*client
	adopts     bool
	pricing    shopadapter.PricesMode
	vat        string
	patience   patience
	categories *categories
	brands     *terms
	shop       *memo.Memo[shopSettings]
	// try asks for each picture from here, and returns errors by address
	try       func(ctx context.Context, addresses []string) map[string]error
	closeIdle func()
}

// patience bounds the wait for work that PHP goes on doing after its caller is gone.
type patience struct {
	step  time.Duration
	steps int
}

func init() {
	shopadapter.Register(Name, shopadapter.Factory{
		Summary:  "WooCommerce, through its REST API v3",
		Settings: settings{},
		Drafts:   true,
		Open: func(o shopadapter.Options) (shopadapter.Adapter, error) {
			return open(o, patience{step: 2 * time.Second, steps: 15})
		},
	})
}

func open(o shopadapter.Options, p patience) (*adapter, error) {
	var set settings
	o, err := o.Complete(Name, &set)
	if err != nil {
		return nil, err
	}
	pictures := kit.NewFetcher(string(set.URL), set.ImageHosts)
	c := newClient(string(set.URL), string(set.Key), string(set.Secret), o.HTTPClient, o.Logger)
	a := &adapter{
		client: c, adopts: set.Adopt == "sku", pricing: set.Prices, vat: o.VATPercent, patience: p,
		brands: newTerms(c, "brand", "/products/brands"), try: pictures.TryAll, closeIdle: pictures.Close,
	}
	list, makes := newTerms(c, "category", "/products/categories"), set.MissingCategories == "make"
	a.categories = &categories{list, set.Categories, makes}
	a.shop = memo.New(believed, a.readSettings)
	return a, nil
}

// Close closes idle connections.
func (a *adapter) Close() error {
	a.closeIdle()
	return nil
}

func (a *adapter) called(p product) string {
	return "#" + idText(p.ID) + " «" + a.clean(plain(string(p.Name))) + "»"
}

// first reports whether key is new to this process.
func (c *client) first(key string) bool {
	_, again := c.told.LoadOrStore(key, true)
	return !again
}

// Check reads with the key and writes an empty batch. A WooCommerce that is too old has no brands.
func (a *adapter) Check(ctx context.Context) (is shopadapter.Info, err error) {
	var some list[product]
	err = a.get(ctx, "/products", &some, "per_page", "1", "status", "publish", "_fields", "id,status,permalink")
	if err != nil {
		return is, lasting(err)
	}
	if err = a.writes(ctx); err != nil {
		return is, err
	}
	shop, err := a.shop.Get(ctx, true)
	if err != nil {
		return is, err
	}
	if err = a.brands.open(ctx, askedFor); hasCode(err, codeNoRoute) {
		err = shopadapter.Block("the shop has no brands, which WooCommerce has from 9.6 on: update WooCommerce to 9.6 or " +
			"later").Everywhere()
	}
	if err != nil {
		return is, err
	}
	a.brands.close()
	return shopadapter.Info{
		Currency: shop.currency, Prices: shop.prices, Figures: true, Warning: a.warning(ctx, some),
		Written: a.categories.digest() + shop.units.Weight + shop.units.Length,
	}, nil
}

// comingSoon matches WooCommerce's placeholder page, which has status 200: the sign for caches, or the block.
var comingSoon = regexp.MustCompile(`<meta name=["']woo-coming-soon-page["']|wp-block-woocommerce-coming-soon`)

// warning looks at a product's page as a visitor does, since the placeholder may replace only the shop's pages.
// Without a product it looks at the front page.
func (a *adapter) warning(ctx context.Context, onSale []product) string {
	at := a.base + "/"
	for _, p := range onSale {
		if p.Status == "publish" && strings.HasPrefix(string(p.Link), at) {
			at = string(p.Link)
		}
	}
	page, err := a.send(ctx, a.public, http.MethodGet, at, nil, nil, nil)
	if err != nil || !comingSoon.Match(page.Body) {
		return ""
	}
	return "visitors see WooCommerce's \"coming soon\" page in place of your products: choose Live in WooCommerce > " +
		"Settings > Site visibility"
}

type settings struct {
	URL               shopadapter.URL        `env:"URL, required" meaning:"the shop's address, the one of its front page; https, unless it is a test shop"`
	Key               shopadapter.Token      `env:"KEY, required" secret:"true" meaning:"consumer key (ck_…) with read and write permission: WooCommerce > Settings > Advanced > REST API"`
	Secret            shopadapter.Token      `env:"SECRET, required" secret:"true" meaning:"the consumer secret (cs_…) that belongs to the key"`
	Adopt             string                 `env:"ADOPT" oneof:"sku" meaning:"sku: take over a product of your own that has the supplier's SKU, its texts stay yours; empty: never"`
	Categories        mapping                `env:"CATEGORIES" meaning:"the marketplace's category paths and the shop's, such as GARDEN_TOOLS=Garden/Tools; GARDEN=Outdoors; a path covers those below it. What is not named here is looked for by its branch, its path and its name"`
	MissingCategories string                 `env:"MISSING_CATEGORIES, default=make" oneof:"make,warn" meaning:"make: a category that is not there is made with its branch, level by level, where the marketplace tells its tree; warn: you are told of it"`
	Prices            shopadapter.PricesMode `env:"PRICES, default=auto" oneof:"auto,gross,net" meaning:"how prices are entered: gross, net (divided by 1 + PUBSYNC_PRICE_VAT_PERCENT), or auto: net where the shop calculates taxes and prices are entered without them (WooCommerce > Settings > Tax)"`
	ImageHosts        kit.Hosts              `env:"IMAGE_HOSTS" meaning:"host[:port] list, joined by commas, that pictures may be fetched from although the address is private"`
}

// A mapping gives the shop's category path by the marketplace's, folded.
type mapping map[string]string

func (m *mapping) EnvDecode(_ context.Context, value string) error {
	*m = mapping{}
	for pair := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ';' || r == '\n' }) {
		path, target, ok := strings.Cut(pair, "=")
		path, target = fold(path), strings.TrimSpace(target)
		switch {
		case strings.TrimSpace(pair) == "":
		case !ok || path == "" || fold(target) == "":
			return errors.New("must be pairs PATH=Category/Subcategory, joined by semicolons or line ends")
		default:
			(*m)[path] = target
		}
	}
	return nil
}

type shopSettings struct {
	currency  string // "": not known
	prices    shopadapter.Prices
	units     shopadapter.Units // the zero Units: not known
	uncounted bool              // the shop counts no stock at all
}

// mostPlaces bounds a net price's decimals: WooCommerce keeps all, and two cannot show 20.02 at 21 %.
const mostPlaces = 6

// readSettings takes prices as net only where the shop calculates taxes and prices are entered without them. A stock
// install does neither.
func (a *adapter) readSettings(ctx context.Context) (is shopSettings, err error) {
	general, told, err := a.settings(ctx, "general")
	if err != nil {
		return is, err
	}
	if is.currency = shopadapter.CurrencyCode(general["woocommerce_currency"]); told && is.currency == "" {
		return is, errors.New("the shop answers the question for its currency with something else") // it proves nothing
	}
	var included *bool
	if auto := a.pricing == shopadapter.PricesAuto; auto && told {
		tax := general
		if general["woocommerce_calc_taxes"] == "yes" {
			if tax, told, err = a.settings(ctx, "tax"); err != nil {
				return is, err
			}
		}
		calculates, includes := general["woocommerce_calc_taxes"], tax["woocommerce_prices_include_tax"]
		if calculates != "no" && (calculates != "yes" || told && includes != "yes" && includes != "no") {
			return is, shopadapter.Retry("the shop answers the question for its taxes with something else")
		}
		with := calculates == "no" || includes == "yes"
		included = &with
	} else if !auto {
		told = true
	}
	if !told {
		is.prices.Note = "the key's user may not read the tax settings (give the key to a shop manager or an " +
			"administrator): prices are written as they are, which is wrong where the shop enters them without tax; set " +
			"PUBSYNC_SHOP_PRICES then"
	} else if is.prices, err = shopadapter.ChoosePrices(Name, a.pricing, a.vat, mostPlaces, included); err != nil {
		return is, err
	}
	if a.pricing != shopadapter.PricesAuto {
		is.prices.Note = "as PUBSYNC_SHOP_PRICES says: the shop's tax settings are not looked at"
	}
	is.prices.Whole = general["woocommerce_price_num_decimals"] == "0"
	products, _, err := a.settings(ctx, "products")
	is.uncounted = products["woocommerce_manage_stock"] == "no"
	units := shopadapter.Units{
		Weight: products["woocommerce_weight_unit"], Length: products["woocommerce_dimension_unit"],
	}
	if units.KnowsUnits() {
		is.units = units
	} else if err == nil && a.first("units") {
		a.logger.Warn("shop does not tell its units of weight and size, or has one that is not known: both are left out " +
			"(give the key to a shop manager or an administrator)")
	}
	return is, err
}

// settings returns told as false where the key's user may not see the group, or the shop has none.
func (a *adapter) settings(ctx context.Context, group string) (values map[string]string, told bool, err error) {
	var all list[struct{ ID, Value text }]
	err = a.get(ctx, "/settings/"+group, &all, "_fields", "id,value")
	if r := refused(err); hasCode(err, codeCannotView) || r != nil && r.Status == http.StatusNotFound && r.Code != "" {
		return nil, false, nil
	}
	values = map[string]string{}
	for _, one := range all {
		values[string(one.ID)] = string(one.Value)
	}
	return values, true, err
}
