package shopify

import (
	"context"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
)

// versionHeader names the version that an answer was served with. Shopify answers a version that it
// has retired with the oldest that it still has, and says so here alone.
const versionHeader = "X-Shopify-Api-Version"

// Check asks for everything that a Publish needs, and changes nothing: the token, the version of
// the API, the scopes by name, taxes, the location, the sales channel and the metafield definition,
// if there is one yet. It takes four requests.
func (a *Adapter) Check(ctx context.Context) (is shopadapter.Info, err error) {
	var answer struct {
		Installation installation `json:"currentAppInstallation"`
	}
	x, err := a.exchange(ctx, request{document: checkDocument, estimate: 5}, &answer)
	if err != nil {
		return is, step.Within("check shop", err)
	}
	if served := x.Header.Get(versionHeader); served != "" && served != apiVersion {
		return is, shopadapter.Block(
			"Shopify answers version %s of its API with version %s: install a newer pubsync", apiVersion, a.scrub(served),
		).Everywhere()
	}
	if lacking := missing(scopes(), answer.Installation.granted()); len(lacking) > 0 {
		return is, shopadapter.Block(
			"the app lacks scopes: grant it %s in Shopify, and install it again", strings.Join(lacking, ", "),
		).
			Everywhere()
	}
	prices, err := a.prices.Get(ctx, true)
	if err != nil {
		return is, err
	}
	_, err = a.shop.Get(ctx, true) // a shop that was mended is used at once
	return shopadapter.Info{Currency: prices.currency, Prices: prices.Prices, Figures: true}, err
}
