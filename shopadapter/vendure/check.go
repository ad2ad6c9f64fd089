package vendure

import (
	"context"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

type channel struct {
	Token            string
	Language         string   `json:"defaultLanguageCode"`
	Languages        []string `json:"availableLanguageCodes"`
	Currency         string   `json:"defaultCurrencyCode"`
	DefaultTaxZone   *node
	PricesIncludeTax *bool
}

// A view is one request's look at the shop and some products.
type view struct {
	Channel channel `json:"activeChannel"`
	Global  struct {
		TrackInventory      bool // the default of variants, like the threshold
		OutOfStockThreshold int
		ServerConfig        struct {
			Precision int32          `json:"moneyStrategyPrecision"` // decimal places of an integer price
			Declared  []entityFields `json:"entityCustomFields"`
		}
	} `json:"globalSettings"`
	Products list[product]
}

// expect returns an error if the channel cannot be written to. Vendure with a single channel answers any token with
// that one; without a tax zone it makes no variants.
func (a *Adapter) expect(c channel) error {
	switch {
	case a.set.Channel != "" && c.Token != a.set.Channel:
		return noChannel()
	case c.DefaultTaxZone == nil:
		return shopadapter.Block("the channel has no default tax zone, without which Vendure makes no variants: set one " +
			"in the channel's settings").Everywhere()
	}
	return nil
}

func (a *Adapter) prices(v view) (shopadapter.Prices, error) {
	precision := int(v.Global.ServerConfig.Precision)
	return shopadapter.ChoosePrices(Name, a.set.Prices, a.vat, precision, v.Channel.PricesIncludeTax)
}

// Check checks address, login, custom fields, channel, tax and rights, and changes nothing. Prices are in the
// channel's default currency.
func (a *Adapter) Check(ctx context.Context) (is shopadapter.Info, err error) {
	var answer struct {
		view
		Me struct {
			Channels []struct {
				Token       string
				Permissions []string
			}
		}
	}
	if err := a.call(ctx, checkDocument, nil, &answer); err != nil {
		return is, err
	}
	if err := a.expect(answer.Channel); err != nil {
		return is, err
	}
	is = shopadapter.Info{Currency: answer.Channel.Currency, Figures: true, Written: a.set.Weight + a.set.Dimensions}
	if is.Prices, err = a.prices(answer.view); err != nil {
		return is, err
	}
	for _, c := range answer.Me.Channels {
		if c.Token != answer.Channel.Token {
			continue
		}
		if missing := missingRights(c.Permissions); len(missing) > 0 {
			return is, shopadapter.Block(
				"the account lacks rights in the channel: give its role %s", strings.Join(missing, ", "),
			).Everywhere()
		}
		return is, nil
	}
	return is, shopadapter.Block("the account has no role in the channel: give it one there").Everywhere()
}

// missingRights returns the rights that a role lacks. Vendure's rights on the whole catalogue include those on its
// parts.
func missingRights(have []string) (missing []string) {
	for _, action := range []string{"Read", "Create", "Update", "Delete"} {
		parts := []string{"Product"}
		if action == "Read" || action == "Create" {
			parts = append(parts, "Asset", "Facet")
		}
		for _, part := range parts {
			if !slices.Contains(have, action+"Catalog") && !slices.Contains(have, action+part) {
				missing = append(missing, action+part)
			}
		}
	}
	return missing
}
