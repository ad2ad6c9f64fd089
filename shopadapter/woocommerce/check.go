package woocommerce

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// Check reads with the key, and writes with it: a batch of nothing. It asks for brands, which a
// WooCommerce that is too old has not. Where the API does not answer, a request to the address
// itself says why.
func (a *adapter) Check(ctx context.Context) (is shopadapter.Info, err error) {
	var some list[product]
	err = a.get(ctx, "/products", &some, "per_page", "1", "status", "publish", "_fields", "id,status,permalink")
	if err != nil {
		return is, a.diagnose(ctx, err)
	}
	err = a.writes(ctx)
	switch r := refused(err); {
	case r != nil && r.Code != "" && (r.Status == http.StatusUnauthorized || r.Status == http.StatusForbidden):
		return is, shopadapter.Block("the key may read and not write: " + readWrite + r.said()).Everywhere()
	case r != nil && shopadapter.Explain(err).Kind == shopadapter.Rejected:
		return is, shopadapter.Retry("the shop does not take a write that changes nothing: %s", r.Message)
	case err != nil:
		return is, err
	}
	shop, err := a.shop.Get(ctx, true)
	if err != nil {
		return is, err
	}
	if err := a.brands.open(ctx, askedFor); hasCode(err, codeNoRoute) {
		return is, shopadapter.Block("the shop has no brands, which WooCommerce has from 9.6 on: update WooCommerce to 9.6 " +
			"or later").Everywhere()
	} else if err != nil {
		return is, err
	}
	a.brands.close()
	return shopadapter.Info{
		Currency: shop.currency, Prices: shop.prices, Figures: true, Warning: a.warning(ctx, some),
		Written: a.categories.digest() + shop.units.Weight + shop.units.Length,
	}, nil
}

// comingSoon is what WooCommerce writes into the page that it shows in place of the shop's own,
// with status 200: the sign for caches, and the page's block.
var comingSoon = regexp.MustCompile(`<meta name=["']woo-coming-soon-page["']|wp-block-woocommerce-coming-soon`)

// warning looks at a page as a visitor does: that of a product on sale, since the placeholder may be
// shown in place of the shop's pages alone, or the front page where there is no product yet. A shop
// whose pages cannot be seen takes products all the same.
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

// shopSettings are what the shop's settings say of how products are written.
type shopSettings struct {
	currency  string             // "": not known
	prices    shopadapter.Prices // how they are entered
	units     shopadapter.Units  // of weight and size; the zero Units: not known
	uncounted bool               // the shop counts no stock at all
}

// mostPlaces is how many decimals of a net price are written. WooCommerce keeps as many as it is
// given, and two cannot show 20.02 at 21 %.
const mostPlaces = 6

const (
	unseenTaxes = "the key's user may not read the tax settings (give the key to a shop manager or an " +
		"administrator): prices are written as they are, which is wrong where the shop enters them without tax; set " +
		"PUBSYNC_SHOP_PRICES then"
	unseenUnits = "shop does not tell its units of weight and size, or has one that is not known: both are left " +
		"out (give the key to a shop manager or an administrator)"
)

// readSettings reads the shop's settings. Prices are net only where the shop calculates taxes and
// prices are entered without them: a stock install has neither, and shows a price as it is written.
func (a *adapter) readSettings(ctx context.Context) (is shopSettings, err error) {
	general, told, err := a.settings(ctx, "general")
	if err != nil {
		return is, err
	}
	code, ok := shopadapter.CurrencyCode(general["woocommerce_currency"])
	if told && !ok { // proves nothing
		return is, errors.New("the shop answers the question for its currency with something else")
	}
	is.currency = code
	var adds *bool
	if told && a.pricing == shopadapter.PricesAuto {
		adds = new(bool)
		if *adds, err = yes(general["woocommerce_calc_taxes"]); err == nil && *adds {
			var tax map[string]string
			if tax, told, err = a.settings(ctx, "tax"); err == nil && told {
				*adds, err = yes(tax["woocommerce_prices_include_tax"])
				*adds = !*adds
			}
		}
	}
	if err != nil {
		return is, err
	}
	if a.pricing == shopadapter.PricesAuto && !told {
		is.prices.Note = unseenTaxes
	} else {
		if is.prices, err = shopadapter.ChoosePrices(Name, a.pricing, a.vat, mostPlaces, adds); err != nil {
			return is, err
		}
		if a.pricing != shopadapter.PricesAuto {
			is.prices.Note = "as PUBSYNC_SHOP_PRICES says: the shop's tax settings are not looked at"
		}
	}
	is.prices.Whole = general["woocommerce_price_num_decimals"] == "0"
	products, _, err := a.settings(ctx, "products")
	is.uncounted = products["woocommerce_manage_stock"] == "no"
	units := shopadapter.Units{
		Weight: products["woocommerce_weight_unit"], Length: products["woocommerce_dimension_unit"],
	}
	if units.KnowsUnits() {
		is.units = units
	} else if err == nil {
		a.warn("units", unseenUnits)
	}
	return is, err
}

func yes(value string) (bool, error) {
	if value != "yes" && value != "no" {
		return false, shopadapter.Retry("the shop answers the question for its settings with something else")
	}
	return value == "yes", nil
}

// settings are the shop's of one group, by name. told is false where the key's user may not see
// them, or the shop has no such group.
func (a *adapter) settings(ctx context.Context, group string) (values map[string]string, told bool, err error) {
	var all list[struct{ ID, Value text }]
	err = a.get(ctx, "/settings/"+group, &all, "_fields", "id,value")
	r := refused(err)
	if r != nil && (r.Code == codeCannotView && (r.Status == http.StatusUnauthorized || r.Status == http.StatusForbidden) ||
		r.Status == http.StatusNotFound && (r.Code == codeNoRoute || strings.HasPrefix(r.Code, "rest_setting_setting_"))) {
		return nil, false, nil
	}
	values = map[string]string{}
	for _, one := range all {
		values[string(one.ID)] = string(one.Value)
	}
	return values, true, err
}
