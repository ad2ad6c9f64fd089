package shopify

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// scopes are what the app has to be granted.
func scopes() []string {
	return []string{
		"read_products", "write_products", "read_inventory", "write_inventory", "read_locations", "read_publications", "write_publications",
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
	location    place
	publication place
	primary     string   // the store's own language
	locales     []string // the others, empty where translations cannot be written
	options     int      // most a product may have
	variants    int      // most a product may have
	defined     bool     // the metafield definition is there
	read        time.Time
}

type place struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// shopAge is how long the shop is taken to be as it was read.
const shopAge = 10 * time.Minute

// A shopCache reads the shop once for all who ask at the same time.
type shopCache struct {
	turn chan struct{} // taken by whoever reads or writes the others
	last *shop         // nil when it must be read
	told bool          // that translations are left out
}

func newShopCache() *shopCache {
	c := &shopCache{turn: make(chan struct{}, 1)}
	c.turn <- struct{}{}
	return c
}

// knowShop is the shop, read anew when the last reading is old. The metafield definition is made where it is missing, also for a caller that only
// looks: when somebody deleted it and left the products their values, they are found only by a new one.
func (a *Adapter) knowShop(ctx context.Context) (*shop, error) {
	select {
	case <-a.shop.turn:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { a.shop.turn <- struct{}{} }()
	s := a.shop.last
	if s == nil || time.Since(s.read) >= shopAge {
		var err error
		if s, err = a.readShop(ctx); err != nil {
			return nil, err
		}
		a.shop.last = s
	}
	if !s.defined {
		if err := a.define(ctx); err != nil {
			return nil, err
		}
		known := *s // others may be reading the old one
		known.defined = true
		s, a.shop.last = &known, &known
	}
	return s, ctx.Err()
}

// forgetShop makes the next call read the shop again: something in it is not as it was read.
func (a *Adapter) forgetShop(ctx context.Context) {
	select {
	case <-a.shop.turn:
		a.shop.last = nil
		a.shop.turn <- struct{}{}
	case <-ctx.Done():
	}
}

type shopAnswer struct {
	Installation installation `json:"currentAppInstallation"`
	Shop         struct {
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

// nodes is a page of a connection.
type nodes[T any] struct {
	Nodes []T `json:"nodes"`
	Page  struct {
		More bool   `json:"hasNextPage"`
		End  string `json:"endCursor"`
	} `json:"pageInfo"`
}

func (a *Adapter) readShop(ctx context.Context) (*shop, error) {
	var answer shopAnswer
	if err := a.call(ctx, request{operation: "Shop", document: shopDocument, estimate: 15}, &answer); err != nil {
		return nil, within("read shop", err)
	}
	s := &shop{options: answer.Shop.Limits.Options, variants: answer.Shop.Limits.Variants, read: time.Now()}
	var err error
	if s.location, err = a.chooseLocation(answer.Location, answer.Locations.Nodes); err != nil {
		return nil, err
	}
	if s.publication, err = a.choosePublication(answer.Publications.Nodes); err != nil {
		return nil, err
	}
	if d := answer.Definition; d != nil {
		if d.Type.Name != "id" {
			return nil, wrongDefinition(d.Type.Name)
		}
		s.defined = true
	}
	if err := a.readLocales(ctx, s, answer.Installation.granted()); err != nil {
		return nil, err
	}
	return s, nil
}

// readLocales finds out which languages the store has. An app without the scopes for it writes the store's own language alone.
func (a *Adapter) readLocales(ctx context.Context, s *shop, granted []string) error {
	if lacking := missing(languageScopes(), granted); len(lacking) > 0 {
		if !a.shop.told {
			a.logger.InfoContext(ctx, "translations left out", slog.String("missing_scopes", strings.Join(lacking, " ")))
		}
		a.shop.told = true
		return nil
	}
	var answer struct {
		Locales []struct {
			Locale  string `json:"locale"`
			Primary bool   `json:"primary"`
		} `json:"shopLocales"`
	}
	if err := a.call(ctx, request{operation: "Locales", document: localesDocument, estimate: 5}, &answer); err != nil {
		return within("read languages", err)
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

// chooseLocation is the location that the setting names, the primary one without a setting.
func (a *Adapter) chooseLocation(primary *place, active []place) (place, error) {
	names := make([]string, 0, len(active))
	for _, l := range active {
		if a.location != "" && (strings.EqualFold(l.Name, a.location) || sameID(l.ID, a.location)) {
			return l, nil
		}
		names = append(names, l.Name)
	}
	known := a.scrub(strings.Join(names, ", "))
	switch {
	case a.location != "":
		return place{}, shopadapter.Block("the store has no active location with the name or id in LOCATION: it has %s", known).Everywhere()
	case primary != nil && slices.ContainsFunc(active, func(l place) bool { return l.ID == primary.ID }):
		return *primary, nil
	case len(active) == 1:
		return active[0], nil
	case len(active) == 0:
		return place{}, shopadapter.Block("the store has no active location to keep stock at: add one under Settings, Locations in Shopify").Everywhere()
	}
	return place{}, shopadapter.Block("the store has several locations: name one in LOCATION (%s)", known).Everywhere()
}

// sameID tells whether a setting means this id: the whole of it, or the number at its end.
func sameID(id, setting string) bool { return id == setting || strings.HasSuffix(id, "/"+setting) }

// A channel is a publication with the names that a merchant may know it by.
type channel struct {
	place
	Catalog *struct {
		Title string `json:"title"`
		Apps  nodes[struct {
			Handle string `json:"handle"`
			Title  string `json:"title"`
		}] `json:"apps"`
	} `json:"catalog"`
}

func (c channel) names() []string {
	list := []string{c.Name}
	if c.Catalog != nil {
		list = append(list, c.Catalog.Title)
		for _, app := range c.Catalog.Apps.Nodes {
			list = append(list, app.Title, app.Handle)
		}
	}
	return list
}

// choosePublication is the publication that the setting names. The online store has another name in each language, and the same handle.
func (a *Adapter) choosePublication(list []channel) (place, error) {
	names := make([]string, 0, len(list))
	for _, c := range list {
		for _, name := range append(c.names(), c.ID) {
			if strings.EqualFold(name, a.publication) || sameID(c.ID, a.publication) || a.publication == onlineStore && name == "online_store" {
				return c.place, nil
			}
		}
		names = append(names, c.Name)
	}
	if len(list) == 0 {
		return place{}, shopadapter.Block("the store has no sales channel: add the Online Store channel in Shopify").Everywhere()
	}
	return place{}, shopadapter.Block("the store has no sales channel with the name in PUBLICATION: it has %s",
		a.scrub(strings.Join(names, ", "))).Everywhere()
}

func wrongDefinition(kind string) error {
	return shopadapter.Block("the product metafield definition pubsync.publication has the type %s instead of id: delete it under Settings, "+
		"Custom data in Shopify (keep its values), and it is made anew", kind).Everywhere()
}

// define makes the metafield definition by which products are found. To find it made already is as good.
func (a *Adapter) define(ctx context.Context) error {
	var answer struct {
		Create struct {
			Errors userErrors `json:"userErrors"`
		} `json:"metafieldDefinitionCreate"`
	}
	err := a.call(ctx, request{operation: "Define", document: defineDocument, estimate: costMutation, variables: input{"definition": input{
		"name": "pubsync publication", "namespace": namespace, "key": idKey, "type": "id", "ownerType": "PRODUCT",
		"description": "Set by pubsync: the entry of the import list that this product belongs to. Do not change it.",
		"access":      input{"storefront": "NONE"},
	}}}, &answer)
	if err != nil {
		return within("define metafield", err)
	}
	for _, e := range answer.Create.Errors {
		if e.Code != "TAKEN" {
			return shopadapter.Block("the metafield definition pubsync.publication cannot be made: %s", a.scrub(e.Message)).Everywhere()
		}
	}
	return nil
}
