package vendure

import (
	"context"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// Check asks for everything a Publish needs, and changes nothing: address, login, custom fields,
// channel, tax and rights. Prices are in the channel's default currency.
func (a *Adapter) Check(ctx context.Context) (is shopadapter.Info, err error) {
	var answer struct {
		view
		Me struct {
			Channels []struct {
				Token       string   `json:"token"`
				Permissions []string `json:"permissions"`
			} `json:"channels"`
		} `json:"me"`
	}
	if err := a.call(ctx, checkDocument, nil, &answer); err != nil {
		return is, err
	}
	if err := a.expect(answer.Channel); err != nil {
		return is, err
	}
	if answer.Channel.DefaultTax == nil {
		return is, missingTaxZone()
	}
	is = shopadapter.Info{Currency: answer.Channel.Currency, Figures: true}
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

// missingRights names what a role lacks. Each of Vendure's rights on the catalogue as a whole
// stands for those on its parts.
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
