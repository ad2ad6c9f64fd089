package medusa

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

type shop struct {
	currency string // lower case, like Medusa's
	channel  string // id
	location string // id
	profile  string // of shipping
	prices   shopadapter.Prices
	locales  []string // the translation module's
}

// Check reads store, currency, tax, sales channel, stock location and shipping profile anew.
func (a *Adapter) Check(ctx context.Context) (shopadapter.Info, error) {
	s, err := a.shop.Get(ctx, true)
	return shopadapter.Info{
		Currency: strings.ToUpper(s.currency), Prices: s.prices, Figures: true,
		Written: a.set.Weight + a.set.Dimensions,
	}, err
}

type store struct {
	Channel    string `json:"default_sales_channel_id"`
	Location   string `json:"default_location_id"`
	Currencies []struct {
		Code    string `json:"currency_code"`
		Default bool   `json:"is_default"`
	} `json:"supported_currencies"`
	Locales []struct {
		Code string `json:"locale_code"`
	} `json:"supported_locales"`
}

type place struct {
	ID, Name string
	Disabled bool `json:"is_disabled"`
	Channels []id `json:"sales_channels"`
}

type preference struct {
	Currency  string `json:"value"`
	Inclusive bool   `json:"is_tax_inclusive"`
}

type id struct {
	ID string `json:"id"`
}

func (a *Adapter) readShop(ctx context.Context) (s shop, err error) {
	flags, err := a.get(ctx, "read feature flags", "feature-flags", nil)
	if err != nil {
		return s, err
	}
	fields := "id,default_sales_channel_id,default_location_id," +
		"supported_currencies.currency_code,supported_currencies.is_default"
	if flags.Flags.Translation {
		fields += ",supported_locales.locale_code"
	}
	var all answer // each request fills its part
	for path, q := range map[string]query{
		"stores":            {"fields": fields},
		"sales-channels":    {"fields": "id,name,is_disabled", "limit": "200"},
		"stock-locations":   {"fields": "id,name,sales_channels.id", "limit": "200"},
		"shipping-profiles": {"fields": "id", "type": "default"},
		"price-preferences": {"fields": "id,value,is_tax_inclusive", "attribute": "currency_code", "limit": "200"},
	} {
		if err := a.call(ctx, "read shop", http.MethodGet, path, q, nil, &all); err != nil {
			return s, err
		}
	}
	if len(all.Stores) == 0 {
		return s, shopadapter.Retry("Medusa names no store")
	}
	store := all.Stores[0]
	for _, l := range store.Locales {
		s.locales = append(s.locales, l.Code)
	}
	wanted := string(a.set.Currency)
	for _, c := range store.Currencies {
		if strings.EqualFold(wanted, c.Code) || wanted == "" && c.Default {
			s.currency = c.Code
		}
	}
	switch {
	case s.currency == "" && wanted == "":
		return s, block("the store has no default currency: choose one in Medusa (Settings, Store)")
	case s.currency == "":
		return s, block("the store does not sell in %s: add the currency in Medusa (Settings, Store), or change "+
			"PUBSYNC_MEDUSA_CURRENCY", wanted)
	}
	if s.channel, s.location, err = a.places(store, all.Channels, all.Locations); err != nil {
		return s, err
	}
	if len(all.Profiles) == 0 {
		return s, block("Medusa has no shipping profile of the type default: add one (Settings, Locations & Shipping)")
	}
	s.profile = all.Profiles[0].ID
	included := slices.Contains(all.Preferences, preference{s.currency, true})
	const decimals = 6 // of a net price; Medusa keeps all
	s.prices, err = shopadapter.ChoosePrices(Name, a.set.Prices, a.vat, decimals, &included)
	if err != nil && !included {
		err = block("Medusa adds tax to prices in %s, so customers would pay more than the price: switch on tax "+
			"inclusive pricing for the currency (Settings, Store), set PUBSYNC_PRICE_VAT_PERCENT to that tax, or "+
			"PUBSYNC_SHOP_PRICES=gross to have it paid on top", strings.ToUpper(s.currency))
	}
	return s, err
}

func block(format string, args ...any) error { return shopadapter.Block(format, args...).Everywhere() }

// places returns the ids of channel and location: by the settings, the store's choice, or the only one. Only
// locations that serve the channel qualify.
func (a *Adapter) places(store store, channels, locations []place) (channel, location string, err error) {
	choose := func(list []place, wanted, what, setting, none string) (place, error) {
		return kit.PlaceKind[place]{
			Name: what, Setting: shopadapter.Variable(Name, setting), None: none, Clean: a.Clean,
			Names: func(p place) []string { return []string{p.Name, p.ID} },
		}.Choose(list, wanted)
	}
	sells, err := choose(channels, cmp.Or(a.set.SalesChannel, store.Channel), "sales channel", "SALES_CHANNEL",
		"Medusa has no sales channel: add one (Settings, Sales Channels)")
	switch {
	case err != nil:
		return "", "", err
	case sells.Disabled:
		return "", "", block("the sales channel %q is disabled: enable it in Medusa (Settings, Sales Channels)",
			a.Clean(sells.Name))
	}
	idle := func(p place) bool { return !slices.Contains(p.Channels, id{sells.ID}) }
	wanted := cmp.Or(a.set.StockLocation, store.Location)
	if wanted == "" {
		locations = slices.DeleteFunc(locations, idle)
	}
	holds, err := choose(locations, wanted, "stock location", "STOCK_LOCATION",
		"no stock location serves the sales channel: add one, or connect it, in Medusa (Settings, Locations & Shipping)")
	if err == nil && idle(holds) {
		err = block("the stock location %q does not serve the sales channel, so nothing in it can be bought: connect "+
			"them in Medusa (Settings, Locations & Shipping)", a.Clean(holds.Name))
	}
	return sells.ID, holds.ID, err
}
