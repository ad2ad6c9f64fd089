package vendure

import (
	"context"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
)

// Check asks for everything a Publish needs, and changes nothing: address, login, custom fields,
// channel, tax and rights. Prices are in the channel's default currency.
func (a *Adapter) Check(ctx context.Context) (is shopadapter.Info, err error) {
	var answer struct {
		ActiveChannel  channel      `json:"activeChannel"`
		GlobalSettings serverConfig `json:"globalSettings"`
		Me             struct {
			Channels []struct {
				Token       string   `json:"token"`
				Permissions []string `json:"permissions"`
			} `json:"channels"`
		} `json:"me"`
	}
	if err := a.call(ctx, checkDocument, nil, &answer); err != nil {
		return is, step.Within("check shop", err)
	}
	if err := a.expect(answer.ActiveChannel); err != nil {
		return is, err
	}
	if answer.ActiveChannel.DefaultTax == nil {
		return is, missingTaxZone()
	}
	is = shopadapter.Info{Currency: answer.ActiveChannel.Currency, Figures: true}
	is.Prices, err = a.pricesIn(answer.ActiveChannel, answer.GlobalSettings.ServerConfig.Precision)
	if err != nil {
		return is, err
	}
	for _, c := range answer.Me.Channels {
		if c.Token != answer.ActiveChannel.Token {
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
func missingRights(have []string) []string {
	var missing []string
	for _, action := range []string{"Read", "Create", "Update", "Delete"} {
		parts := []string{"Product"}
		switch action {
		case "Read", "Create":
			parts = append(parts, "Asset", "Facet")
		}
		if slices.Contains(have, action+"Catalog") {
			continue
		}
		for _, part := range parts {
			if !slices.Contains(have, action+part) {
				missing = append(missing, action+part)
			}
		}
	}
	return missing
}
