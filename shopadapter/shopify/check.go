package shopify

import (
	"context"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
)

// Check asks for everything that a Publish needs, and changes nothing: the token, the version of
// the API, the scopes by name, what the version's schema has, taxes, the location, the sales
// channel and the metafield definition, if there is one yet. It takes five requests; that for the
// schema, the largest, is left out while its last answer counts.
func (a *Adapter) Check(ctx context.Context) error {
	var answer struct {
		Installation installation `json:"currentAppInstallation"`
		Versions     []struct {
			Handle    string `json:"handle"`
			Supported bool   `json:"supported"`
		} `json:"publicApiVersions"`
	}
	x, err := a.exchange(ctx, request{document: checkDocument, estimate: 5}, &answer)
	if err != nil {
		return step.Within("check shop", err)
	}
	if served := x.Header.Get(versionHeader); served != "" && served != a.version {
		var supported []string
		for _, v := range answer.Versions {
			if v.Supported {
				supported = append(supported, v.Handle)
			}
		}
		slices.Sort(supported)
		return shopadapter.Block(
			"Shopify answers API version %s with version %s: set API_VERSION to %s (it has %s)",
			a.version, a.scrub(served), defaultVersion, a.scrub(strings.Join(supported, ", ")),
		).Everywhere()
	}
	if lacking := missing(scopes(), answer.Installation.granted()); len(lacking) > 0 {
		return shopadapter.Block(
			"the app lacks scopes: grant it %s in Shopify, and install it again", strings.Join(lacking, ", "),
		).
			Everywhere()
	}
	if err := a.checkSchema(ctx); err != nil {
		return err
	}
	if _, err = a.Prices(ctx); err != nil {
		return err
	}
	_, err = a.shop.Get(ctx, true) // a shop that was mended is used at once
	return err
}
