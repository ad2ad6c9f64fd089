package medusa

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
)

// A shop is what the adapter has to know of where it sells.
type shop struct {
	currency string   // in lower case, as Medusa writes it
	channel  string   // ids
	location string   //
	profile  string   // of shipping
	locales  []string // into which the store translates; nil without the translation module
}

// refreshAfter is how long a shop is believed to be as it was read.
const refreshAfter = 5 * time.Minute

// shop is the shop as it was read last, unless that was long ago or fresh is asked for.
func (a *Adapter) shop(ctx context.Context, fresh bool) (shop, error) {
	a.mu.Lock()
	known := a.known
	if time.Since(a.readAt) > refreshAfter {
		known = nil
	}
	a.mu.Unlock()
	if known != nil && !fresh {
		return *known, nil
	}
	s, err := a.readShop(ctx)
	if err != nil {
		return shop{}, err
	}
	a.mu.Lock()
	a.known, a.readAt = &s, time.Now()
	a.mu.Unlock()
	return s, nil
}

// forget has the shop read again before the next call.
func (a *Adapter) forget() {
	a.mu.Lock()
	a.known = nil
	a.mu.Unlock()
}

// A store is Medusa's own settings.
type store struct {
	Channel    string `json:"default_sales_channel_id"`
	Location   string `json:"default_location_id"`
	Currencies []struct {
		Code    string `json:"currency_code"`
		Default bool   `json:"is_default"`
	} `json:"supported_currencies"`
}

// A place is a sales channel or a stock location.
type place struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Disabled bool   `json:"is_disabled"`
	Channels []id   `json:"sales_channels"` // that the location serves
}

type id struct {
	ID string `json:"id"`
}

func (a *Adapter) readShop(ctx context.Context) (shop, error) {
	var s shop
	var stores struct {
		Stores []store `json:"stores"`
	}
	fields := "id,default_sales_channel_id,default_location_id,supported_currencies.currency_code,supported_currencies.is_default"
	if err := a.call(ctx, http.MethodGet, "stores", query{"fields": fields}, nil, &stores); err != nil {
		return s, step.Within("read store", err)
	}
	if len(stores.Stores) == 0 {
		return s, shopadapter.Retry("Medusa names no store")
	}
	store := stores.Stores[0]
	var err error
	if s.currency, err = a.chooseCurrency(store); err != nil {
		return s, err
	}
	if s.channel, err = a.chooseChannel(ctx, store); err != nil {
		return s, err
	}
	if s.location, err = a.chooseLocation(ctx, store, s.channel); err != nil {
		return s, err
	}
	if s.profile, err = a.chooseProfile(ctx); err != nil {
		return s, err
	}
	if err := a.checkTax(ctx, s.currency); err != nil {
		return s, err
	}
	s.locales, err = a.readLocales(ctx)
	return s, err
}

func (a *Adapter) chooseCurrency(s store) (string, error) {
	for _, c := range s.Currencies {
		if a.chosen.currency == c.Code || a.chosen.currency == "" && c.Default {
			return c.Code, nil
		}
	}
	if a.chosen.currency == "" {
		return "", shopadapter.Block("the store has no default currency: choose one in Medusa (Settings, Store)").Everywhere()
	}
	return "", shopadapter.Block("the store does not sell in %s: add the currency in Medusa (Settings, Store), or change PUBSYNC_MEDUSA_CURRENCY",
		strings.ToUpper(a.chosen.currency)).Everywhere()
}

func (a *Adapter) chooseChannel(ctx context.Context, s store) (string, error) {
	var answer struct {
		Channels []place `json:"sales_channels"`
	}
	if err := a.call(ctx, http.MethodGet, "sales-channels", query{"fields": "id,name,is_disabled", "limit": "200"}, nil, &answer); err != nil {
		return "", step.Within("read sales channels", err)
	}
	wanted := a.chosen.channel
	if wanted == "" {
		wanted = s.Channel
	}
	i := slices.IndexFunc(answer.Channels, func(c place) bool { return wanted != "" && (c.ID == wanted || c.Name == wanted) })
	switch {
	case i < 0:
		return "", shopadapter.Block("Medusa has no such sales channel: set PUBSYNC_MEDUSA_SALES_CHANNEL to the id or the name of one").Everywhere()
	case answer.Channels[i].Disabled:
		return "", shopadapter.Block("the sales channel %q is disabled: enable it in Medusa (Settings, Sales Channels)", a.clean(answer.Channels[i].Name)).Everywhere()
	}
	return answer.Channels[i].ID, nil
}

func (a *Adapter) chooseLocation(ctx context.Context, s store, channel string) (string, error) {
	var answer struct {
		Locations []place `json:"stock_locations"`
	}
	if err := a.call(ctx, http.MethodGet, "stock-locations", query{"fields": "id,name,sales_channels.id", "limit": "200"}, nil, &answer); err != nil {
		return "", step.Within("read stock locations", err)
	}
	wanted := a.chosen.location
	if wanted == "" {
		wanted = s.Location
	}
	var serving, named []place
	for _, l := range answer.Locations {
		if slices.Contains(l.Channels, id{channel}) {
			serving = append(serving, l)
		}
		if wanted != "" && (l.ID == wanted || l.Name == wanted) {
			named = append(named, l)
		}
	}
	switch {
	case wanted != "" && len(named) == 0:
		return "", shopadapter.Block("Medusa has no such stock location: set PUBSYNC_MEDUSA_STOCK_LOCATION to the id or the name of one").Everywhere()
	case wanted != "" && !slices.Contains(named[0].Channels, id{channel}):
		return "", shopadapter.Block("the stock location %q does not serve the sales channel, so nothing in it can be bought: connect them in Medusa "+
			"(Settings, Locations & Shipping)", a.clean(named[0].Name)).Everywhere()
	case wanted != "":
		return named[0].ID, nil
	case len(serving) == 0:
		return "", shopadapter.Block("no stock location serves the sales channel: add one, or connect it, in Medusa (Settings, Locations & Shipping)").Everywhere()
	case len(serving) > 1:
		return "", shopadapter.Block("%d stock locations serve the sales channel: choose one with PUBSYNC_MEDUSA_STOCK_LOCATION", len(serving)).Everywhere()
	}
	return serving[0].ID, nil
}

func (a *Adapter) chooseProfile(ctx context.Context) (string, error) {
	var answer struct {
		Profiles []id `json:"shipping_profiles"`
	}
	if err := a.call(ctx, http.MethodGet, "shipping-profiles", query{"fields": "id", "type": "default"}, nil, &answer); err != nil {
		return "", step.Within("read shipping profiles", err)
	}
	if len(answer.Profiles) == 0 {
		return "", shopadapter.Block("Medusa has no shipping profile of the type default: add one (Settings, Locations & Shipping)").Everywhere()
	}
	return answer.Profiles[0].ID, nil
}

// checkTax blocks a shop in which a price means something else than the setting PRICES says.
func (a *Adapter) checkTax(ctx context.Context, currency string) error {
	var answer struct {
		Preferences []struct {
			Inclusive bool `json:"is_tax_inclusive"`
		} `json:"price_preferences"`
	}
	q := query{"fields": "id,is_tax_inclusive", "attribute": "currency_code", "value": currency}
	if err := a.call(ctx, http.MethodGet, "price-preferences", q, nil, &answer); err != nil {
		return step.Within("read price preferences", err)
	}
	inclusive := len(answer.Preferences) > 0 && answer.Preferences[0].Inclusive
	switch name := strings.ToUpper(currency); {
	case a.chosen.gross && !inclusive:
		return shopadapter.Block("Medusa adds tax to prices in %s, so customers would pay more than the price: switch on tax inclusive pricing for the "+
			"currency (Settings, Store), or set PUBSYNC_MEDUSA_PRICES=net and calculate prices without tax", name).Everywhere()
	case !a.chosen.gross && inclusive:
		return shopadapter.Block("prices in %s include tax in this Medusa, and PUBSYNC_MEDUSA_PRICES=net says that they do not: change one of them", name).Everywhere()
	}
	return nil
}

func (a *Adapter) readLocales(ctx context.Context) ([]string, error) {
	var flags struct {
		Flags struct {
			Translation bool `json:"translation"`
		} `json:"feature_flags"`
	}
	if err := a.call(ctx, http.MethodGet, "feature-flags", nil, nil, &flags); err != nil || !flags.Flags.Translation {
		return nil, step.Within("read feature flags", err)
	}
	var stores struct {
		Stores []struct {
			Locales []struct {
				Code string `json:"locale_code"`
			} `json:"supported_locales"`
		} `json:"stores"`
	}
	if err := a.call(ctx, http.MethodGet, "stores", query{"fields": "id,supported_locales.locale_code"}, nil, &stores); err != nil {
		return nil, step.Within("read locales", err)
	}
	var locales []string
	for _, s := range stores.Stores {
		for _, l := range s.Locales {
			locales = append(locales, l.Code)
		}
	}
	slices.Sort(locales)
	return locales, nil
}
