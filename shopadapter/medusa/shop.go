package medusa

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// A shop is what the adapter has to know of where it sells.
type shop struct {
	currency string    // in lower case, as Medusa writes it
	channel  string    // ids
	location string    //
	profile  string    // of shipping
	locales  []string  // into which the store translates; nil without the translation module
	readAt   time.Time //
}

// refreshAfter is how long a shop is believed to be as it was read.
const refreshAfter = 5 * time.Minute

// Check reads what every call needs of the shop: the store, its currency and tax, the sales channel, the stock location and the shipping profile.
func (a *Adapter) Check(ctx context.Context) error {
	_, err := a.shop(ctx, true)
	return err
}

// Currency is the one that prices are written in.
func (a *Adapter) Currency(ctx context.Context) (string, error) {
	s, err := a.shop(ctx, false)
	return strings.ToUpper(s.currency), err
}

// shop is the shop as it was read last, unless that was long ago or fresh is asked for.
func (a *Adapter) shop(ctx context.Context, fresh bool) (shop, error) {
	if known := a.known.Load(); known != nil && !fresh && time.Since(known.readAt) < refreshAfter {
		return *known, nil
	}
	s, err := a.readShop(ctx)
	if err != nil {
		return shop{}, err
	}
	a.known.Store(&s)
	return s, nil
}

// A store is Medusa's own settings.
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
	s := shop{readAt: time.Now()}
	flags, err := a.get(ctx, "read feature flags", "feature-flags", nil)
	if err != nil {
		return s, err
	}
	fields := "id,default_sales_channel_id,default_location_id,supported_currencies.currency_code,supported_currencies.is_default"
	if flags.Flags.Translation {
		fields += ",supported_locales.locale_code"
	}
	stores, err := a.get(ctx, "read store", "stores", query{"fields": fields})
	if err != nil {
		return s, err
	}
	if len(stores.Stores) == 0 {
		return s, shopadapter.Retry("Medusa names no store")
	}
	known := stores.Stores[0]
	for _, l := range known.Locales {
		s.locales = append(s.locales, l.Code)
	}
	slices.Sort(s.locales)
	for _, choose := range []func(context.Context, *shop, store) error{a.chooseCurrency, a.chooseChannel, a.chooseLocation, a.chooseProfile, a.checkTax} {
		if err := choose(ctx, &s, known); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (a *Adapter) chooseCurrency(_ context.Context, s *shop, from store) error {
	wanted := a.chosen["CURRENCY"]
	for _, c := range from.Currencies {
		if strings.EqualFold(wanted, c.Code) || wanted == "" && c.Default {
			s.currency = c.Code
			return nil
		}
	}
	if wanted == "" {
		return shopadapter.Block("the store has no default currency: choose one in Medusa (Settings, Store)").Everywhere()
	}
	return shopadapter.Block("the store does not sell in %s: add the currency in Medusa (Settings, Store), or change PUBSYNC_MEDUSA_CURRENCY",
		strings.ToUpper(wanted)).Everywhere()
}

func (a *Adapter) chooseChannel(ctx context.Context, s *shop, from store) error {
	got, err := a.get(ctx, "read sales channels", "sales-channels", query{"fields": "id,name,is_disabled", "limit": "200"})
	i := find(got.Channels, cmp.Or(a.chosen["SALES_CHANNEL"], from.Channel))
	switch {
	case err != nil:
		return err
	case i < 0:
		return shopadapter.Block("Medusa has no such sales channel: set PUBSYNC_MEDUSA_SALES_CHANNEL to the id or the name of one").Everywhere()
	case got.Channels[i].Disabled:
		return shopadapter.Block("the sales channel %q is disabled: enable it in Medusa (Settings, Sales Channels)", a.api.Clean(got.Channels[i].Name)).Everywhere()
	}
	s.channel = got.Channels[i].ID
	return nil
}

// find is the index of the place with an id or a name, -1 where there is none.
func find(places []place, wanted string) int {
	return slices.IndexFunc(places, func(p place) bool { return wanted != "" && (p.ID == wanted || p.Name == wanted) })
}

// chooseLocation takes the location that is named, else the only one that serves the channel.
func (a *Adapter) chooseLocation(ctx context.Context, s *shop, from store) error {
	got, err := a.get(ctx, "read stock locations", "stock-locations", query{"fields": "id,name,sales_channels.id", "limit": "200"})
	serves := func(p place) bool { return slices.Contains(p.Channels, id{s.channel}) }
	all, wanted := got.Locations, cmp.Or(a.chosen["STOCK_LOCATION"], from.Location)
	i := find(all, wanted)
	if wanted == "" {
		all = slices.DeleteFunc(all, func(p place) bool { return !serves(p) })
		i = len(all) - 1
	}
	switch {
	case err != nil:
		return err
	case i < 0 && wanted != "":
		return shopadapter.Block("Medusa has no such stock location: set PUBSYNC_MEDUSA_STOCK_LOCATION to the id or the name of one").Everywhere()
	case i < 0:
		return shopadapter.Block("no stock location serves the sales channel: add one, or connect it, in Medusa (Settings, Locations & Shipping)").Everywhere()
	case wanted == "" && i > 0:
		return shopadapter.Block("%d stock locations serve the sales channel: choose one with PUBSYNC_MEDUSA_STOCK_LOCATION", len(all)).Everywhere()
	case !serves(all[i]):
		return shopadapter.Block("the stock location %q does not serve the sales channel, so nothing in it can be bought: connect them in Medusa "+
			"(Settings, Locations & Shipping)", a.api.Clean(all[i].Name)).Everywhere()
	}
	s.location = all[i].ID
	return nil
}

func (a *Adapter) chooseProfile(ctx context.Context, s *shop, _ store) error {
	got, err := a.get(ctx, "read shipping profiles", "shipping-profiles", query{"fields": "id", "type": "default"})
	if err == nil && len(got.Profiles) == 0 {
		err = shopadapter.Block("Medusa has no shipping profile of the type default: add one (Settings, Locations & Shipping)").Everywhere()
	}
	if err == nil {
		s.profile = got.Profiles[0].ID
	}
	return err
}

// checkTax blocks a shop in which a price means something else than the setting PRICES says.
func (a *Adapter) checkTax(ctx context.Context, s *shop, _ store) error {
	q := query{"fields": "id,is_tax_inclusive", "attribute": "currency_code", "value": s.currency}
	got, err := a.get(ctx, "read price preferences", "price-preferences", q)
	inclusive, gross := len(got.Preferences) > 0 && got.Preferences[0].Inclusive, a.chosen["PRICES"] == "gross"
	switch name := strings.ToUpper(s.currency); {
	case err != nil:
		return err
	case gross && !inclusive:
		return shopadapter.Block("Medusa adds tax to prices in %s, so customers would pay more than the price: switch on tax inclusive pricing for the "+
			"currency (Settings, Store), or set PUBSYNC_MEDUSA_PRICES=net and calculate prices without tax", name).Everywhere()
	case !gross && inclusive:
		return shopadapter.Block("prices in %s include tax in this Medusa, and PUBSYNC_MEDUSA_PRICES=net says that they do not: change one of them", name).Everywhere()
	}
	return nil
}
