package shopify

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/memo"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
)

// scopes are those that the app needs.
func scopes() []string {
	return []string{
		"read_products", "write_products", "read_inventory", "write_inventory", "read_locations", "read_publications",
		"write_publications",
	}
}

// languageScopes are needed besides where the store sells in several languages.
func languageScopes() []string {
	return []string{"read_locales", "read_translations", "write_translations"}
}

// missing names the wanted scopes that are not granted. Who may write may read.
func missing(wanted, granted []string) []string {
	var list []string
	for _, scope := range wanted {
		write := "write_" + strings.TrimPrefix(scope, "read_")
		if !slices.Contains(granted, scope) && !slices.Contains(granted, write) {
			list = append(list, scope)
		}
	}
	return list
}

// A shop is what the adapter has to know about the store before it can write.
type shop struct {
	name        string // the vendor of a product that was given none
	location    place
	publication place
	primary     string           // the store's own language
	locales     []string         // the others, empty where translations cannot be written
	options     int              // most a product may have
	variants    int              // most a product may have
	defined     *memo.Memo[bool] // the metafield definition is there: made by the first that asks, where it is not
}

// shopAge is how long a reading of the shop is used.
const shopAge = 10 * time.Minute

// knowShop is the shop, read anew when the last reading is old. The metafield definition is made
// where it is missing, also for a caller that only looks: when somebody deleted it and left the
// products their values, they are found only by a new one.
func (a *Adapter) knowShop(ctx context.Context) (*shop, error) {
	s, err := a.shop.Get(ctx, false)
	if err != nil {
		return nil, err
	}
	if _, err := s.defined.Get(ctx, false); err != nil {
		return nil, err
	}
	return s, ctx.Err()
}

type shopAnswer struct {
	Installation installation `json:"currentAppInstallation"`
	Shop         struct {
		Name   string `json:"name"`
		Limits struct {
			Options  int `json:"maxProductOptions"`
			Variants int `json:"maxProductVariants"`
		} `json:"resourceLimits"`
	} `json:"shop"`
	Location     *place          `json:"location"`
	Locations    nodes[place]    `json:"locations"`
	Publications nodes[channel]  `json:"publications"`
	Definition   *definitionType `json:"metafieldDefinition"`
}

type installation struct {
	Scopes []struct {
		Handle string `json:"handle"`
	} `json:"accessScopes"`
}

func (i installation) granted() []string {
	list := make([]string, 0, len(i.Scopes))
	for _, s := range i.Scopes {
		list = append(list, s.Handle)
	}
	return list
}

type definitionType struct {
	Type struct {
		Name string `json:"name"`
	} `json:"type"`
}

func (a *Adapter) readShop(ctx context.Context) (*shop, error) {
	var answer shopAnswer
	if err := a.call(ctx, request{document: shopDocument, estimate: 15}, &answer); err != nil {
		return nil, step.Within("read shop", err)
	}
	if err := a.readPlaces(ctx, &answer); err != nil {
		return nil, step.Within("read shop", err)
	}
	limits := answer.Shop.Limits
	s := &shop{name: answer.Shop.Name, options: limits.Options, variants: limits.Variants}
	var err error
	if s.location, err = a.chooseLocation(answer.Location, answer.Locations.Nodes); err != nil {
		return nil, err
	}
	if s.publication, err = a.choosePublication(answer.Publications.Nodes); err != nil {
		return nil, err
	}
	if d := answer.Definition; d != nil && d.Type.Name != "id" {
		return nil, wrongDefinition(d.Type.Name)
	}
	s.defined = memo.New(shopAge, func(ctx context.Context) (bool, error) {
		if answer.Definition != nil {
			return true, nil
		}
		return true, a.define(ctx)
	})
	if err := a.readLocales(ctx, s, answer.Installation.granted()); err != nil {
		return nil, err
	}
	return s, nil
}

// readLocales finds out which languages the store has. An app without the scopes for it writes the
// store's own language alone.
func (a *Adapter) readLocales(ctx context.Context, s *shop, granted []string) error {
	if lacking := missing(languageScopes(), granted); len(lacking) > 0 {
		if !a.told.Swap(true) {
			a.logger.InfoContext(
				ctx,
				"translations left out",
				slog.String("missing_scopes", strings.Join(lacking, " ")),
			)
		}
		return nil
	}
	var answer struct {
		Locales []struct {
			Locale  string `json:"locale"`
			Primary bool   `json:"primary"`
		} `json:"shopLocales"`
	}
	if err := a.call(ctx, request{document: localesDocument, estimate: 5}, &answer); err != nil {
		return step.Within("read languages", err)
	}
	for _, l := range answer.Locales {
		switch {
		case l.Primary:
			s.primary = l.Locale
		case localeName.MatchString(l.Locale):
			s.locales = append(s.locales, l.Locale)
		}
	}
	return nil
}

func wrongDefinition(kind string) error {
	return shopadapter.Block("the product metafield definition pubsync.publication has the type %s instead of id: "+
		"delete it under Settings, "+
		"Custom data in Shopify (keep its values), and it is made anew", kind).
		Everywhere()
}

// codeTaken is that of a definition that is there already.
const codeTaken = "TAKEN"

// define makes the metafield definition by which products are found. One that exists already is no
// error.
func (a *Adapter) define(ctx context.Context) error {
	var answer struct {
		Create struct {
			Errors userErrors `json:"userErrors"`
		} `json:"metafieldDefinitionCreate"`
	}
	err := a.call(ctx, request{document: defineDocument, estimate: costMutation, variables: input{"definition": input{
		"name": "pubsync publication", "namespace": namespace, "key": idKey, "type": "id", "ownerType": "PRODUCT",
		"description": "Set by pubsync: the entry of the import list that this product belongs to. Do not change it.",
		"access":      input{"storefront": "NONE"},
	}}}, &answer)
	if err != nil {
		return step.Within("define metafield", err)
	}
	for _, e := range answer.Create.Errors {
		if e.Code != codeTaken {
			return shopadapter.Block("the metafield definition pubsync.publication cannot be made: %s", a.scrub(e.Message)).
				Everywhere()
		}
	}
	return nil
}
