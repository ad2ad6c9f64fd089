package woocommerce

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

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

const unseenTaxes = "the key's user may not read the tax settings (give the key to a shop manager or an " +
	"administrator): prices are written as they are, which is wrong where the shop enters them without tax; set " +
	"PUBSYNC_SHOP_PRICES then"

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
		is.prices.Note = unseenTaxes
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
