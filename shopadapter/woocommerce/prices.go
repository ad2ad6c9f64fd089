package woocommerce

import (
	"context"
	"net/http"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
)

const (
	// pricesAge is how long what the shop said of its taxes is used. Check asks more often.
	pricesAge = 10 * time.Minute
	// mostPlaces is how many decimals of a net price are written. WooCommerce keeps as many as it
	// is given.
	mostPlaces = 6
)

const unseenTaxes = "the key's user may not read the tax settings (give the key to a shop manager or an " +
	"administrator): prices are written as they are, which is wrong where the shop enters them without tax; set " +
	"PUBSYNC_SHOP_PRICES then"

// readPrices takes prices for net only where the shop calculates taxes and prices are entered
// without them: a stock install has neither, and shows a price as it is written.
func (a *adapter) readPrices(ctx context.Context) (shopadapter.Prices, error) {
	if a.pricing != shopadapter.PricesAuto {
		prices, err := shopadapter.ChoosePrices(Name, a.pricing, a.vat, mostPlaces, nil)
		prices.Note = "as PUBSYNC_SHOP_PRICES says: the shop's tax settings are not looked at"
		return prices, err
	}
	calculates, told, err := a.option(ctx, "general/woocommerce_calc_taxes")
	inclusive := "yes"
	if err == nil && told && calculates == "yes" {
		inclusive, told, err = a.option(ctx, "tax/woocommerce_prices_include_tax")
	}
	switch {
	case err != nil:
		return shopadapter.Prices{}, err
	case !told:
		return shopadapter.Prices{Note: unseenTaxes}, nil
	}
	adds := inclusive == "no"
	return shopadapter.ChoosePrices(Name, a.pricing, a.vat, mostPlaces, &adds)
}

// option is the value of a setting of the shop's, yes or no. told is false where the key's user may
// not see the settings, or the shop has no such setting.
func (a *adapter) option(ctx context.Context, name string) (value string, told bool, err error) {
	value, told, err = a.setting(ctx, name)
	if err == nil && told && value != "yes" && value != "no" {
		err = shopadapter.Retry("the shop answers the question for its tax settings with something else")
	}
	return value, told, err
}

// setting is the value of a setting of the shop's, as it is.
func (a *adapter) setting(ctx context.Context, name string) (value string, told bool, err error) {
	var setting struct {
		Value rest.Text `json:"value"`
	}
	err = a.Get(ctx, rest.KindRead, "/settings/"+name, &setting, "_fields", "value")
	if r := rest.Refused(err); r != nil && unseen(r) {
		return "", false, nil
	}
	return string(setting.Value), true, err
}

// unseen reports whether the shop refuses to show a setting, or has none of that name.
func unseen(r *rest.Refusal) bool {
	switch r.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return r.Code == rest.CodeCannotView
	case http.StatusNotFound:
		return r.Code == rest.CodeNoRoute || r.Code == "rest_setting_setting_invalid" ||
			r.Code == "rest_setting_setting_group_invalid"
	}
	return false
}
