package vendure

import (
	"context"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
)

// Check asks for everything a Publish needs, and changes nothing: address, login, custom fields,
// channel, tax and rights.
func (a *Adapter) Check(ctx context.Context) error {
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
		return step.Within("check shop", err)
	}
	if err := a.expect(answer.ActiveChannel); err != nil {
		return err
	}
	if answer.ActiveChannel.DefaultTax == nil {
		return missingTaxZone()
	}
	if _, err := a.pricesIn(answer.ActiveChannel, answer.GlobalSettings.ServerConfig.Precision); err != nil {
		return err
	}
	for _, c := range answer.Me.Channels {
		if c.Token != answer.ActiveChannel.Token {
			continue
		}
		if missing := missingRights(c.Permissions); len(missing) > 0 {
			return shopadapter.Block("the account lacks rights in the channel: give its role %s", strings.Join(missing, ", ")).
				Everywhere()
		}
		return nil
	}
	return shopadapter.Block("the account has no role in the channel: give it one there").Everywhere()
}

// Currency is the channel's default currency, in which prices are written.
func (a *Adapter) Currency(ctx context.Context) (string, error) {
	var answer struct {
		ActiveChannel channel `json:"activeChannel"`
	}
	err := a.call(ctx, checkDocument, nil, &answer)
	return answer.ActiveChannel.Currency, step.Within("read currency", err)
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
