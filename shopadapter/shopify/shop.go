package shopify

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

var (
	scopes = []string{
		"read_products", "write_products", "read_inventory", "write_inventory", "read_locations", "read_publications",
		"write_publications",
	}
	// needed besides for stores in several languages
	languageScopes = []string{"read_locales", "read_translations", "write_translations"}
)

// missing returns the scopes not granted. A write scope includes the read scope.
func missing(wanted []string, granted installation) []string {
	return slices.DeleteFunc(slices.Clone(wanted), func(scope string) bool {
		for _, s := range granted.Scopes {
			if s.Handle == scope || s.Handle == "write_"+strings.TrimPrefix(scope, "read_") {
				return true
			}
		}
		return false
	})
}

type installation struct {
	Scopes []struct {
		Handle string `json:"handle"`
	} `json:"accessScopes"`
}

type about struct {
	Name     string `json:"name"`
	Currency string `json:"currencyCode"`
	Taxes    *bool  `json:"taxesIncluded"`
}

// A shop is what a write needs to know about the store.
type shop struct {
	about
	location    place
	publication place
	primary     string
	locales     []string // besides primary; empty where translations cannot be written
	prices      shopadapter.Prices
	unpriced    error
}

// shopAge is how long a reading of the shop is used.
const shopAge = 10 * time.Minute

// Check reads the shop anew: token, API version, scopes, taxes, location and sales channel.
func (a *Adapter) Check(ctx context.Context) (is shopadapter.Info, err error) {
	s, err := a.shop.Get(ctx, true) // a mended shop counts at once
	if err != nil {
		return is, err
	}
	return shopadapter.Info{Currency: s.Currency, Prices: s.prices, Figures: true}, s.unpriced
}

func (a *Adapter) readShop(ctx context.Context) (*shop, error) {
	got, err := a.call(ctx, request{doing: "read shop", document: shopDocument, estimate: 15})
	if err != nil {
		return nil, err
	}
	// Shopify serves a retired version with its oldest one, and says so only in a header.
	if got.version != "" && got.version != apiVersion {
		return nil, shopadapter.Block("Shopify answers version %s of its API with version %s: install a newer pubsync",
			apiVersion, a.clean(got.version)).Everywhere()
	}
	if lacking := missing(scopes, got.Installation); len(lacking) > 0 {
		return nil, shopadapter.Block("the app lacks scopes: grant it %s in Shopify, and install it again",
			strings.Join(lacking, ", ")).Everywhere()
	}
	s := &shop{about: got.Shop}
	if s.location, err = a.chooseLocation(got.Location, got.Locations.Nodes); err != nil {
		return nil, err
	}
	if s.publication, err = a.choosePublication(got.Publications.Nodes); err != nil {
		return nil, err
	}
	const decimals = 2 // of Shopify's prices
	s.prices, s.unpriced = shopadapter.ChoosePrices(Name, a.set.Prices, a.vat, decimals, s.Taxes)
	return s, a.readLocales(ctx, s, got.Installation)
}

// localeName guards the language tags that documents contain.
var localeName = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$`)

// readLocales reads the store's languages. Without the scopes for it, only the store's own language is written.
func (a *Adapter) readLocales(ctx context.Context, s *shop, granted installation) error {
	if len(missing(languageScopes, granted)) > 0 {
		return nil
	}
	got, err := a.call(ctx, request{doing: "read languages", document: localesDocument, estimate: 5})
	if err != nil {
		return err
	}
	for _, l := range got.Locales {
		switch {
		case l.Primary:
			s.primary = l.Locale
		case localeName.MatchString(l.Locale):
			s.locales = append(s.locales, l.Locale)
		}
	}
	return nil
}

// define makes the metafield definition of the key, unless it exists.
func (a *Adapter) define(ctx context.Context) error {
	got, err := a.call(ctx, request{
		doing: "define metafield", document: defineDocument, estimate: costMutation,
		variables: input{"definition": input{
			"name": "pubsync publication", "namespace": namespace, "key": idKey, "type": "id", "ownerType": "PRODUCT",
			"description": "Set by pubsync: the entry of the import list that this product belongs to. Do not change it.",
			"access":      input{"storefront": "NONE"},
		}},
	})
	if err != nil || got.Define == nil {
		return err
	}
	for _, e := range got.Define.Errors {
		if e.Code != codeTaken {
			return shopadapter.Block("the metafield definition pubsync.publication cannot be made: %s", a.clean(e.Message)).
				Everywhere()
		}
	}
	return nil
}

// A place is a stock location or a publication.
type place struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

func (p place) names() []string { return []string{p.Name, p.ID, number(p.ID)} }

// chooseLocation takes the primary location unless the setting names another.
func (a *Adapter) chooseLocation(primary *place, active []place) (place, error) {
	if a.set.Location == "" && primary != nil &&
		slices.ContainsFunc(active, func(l place) bool { return l.ID == primary.ID }) {
		return *primary, nil
	}
	return kit.PlaceKind[place]{
		Name: "active location", Setting: "PUBSYNC_SHOPIFY_LOCATION", Names: place.names, Clean: a.clean,
		None: "the store has no active location to keep stock at: add one under Settings, Locations in Shopify",
	}.Choose(active, a.set.Location)
}

// A channel is a publication as the shop shows it.
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

// names lists the names of the place and its catalogue. The online store's name depends on the language, its handle
// does not.
func (c channel) names() []string {
	list := c.place.names()
	if c.Catalog == nil {
		return list
	}
	list = append(list, c.Catalog.Title)
	for _, app := range c.Catalog.Apps.Nodes {
		if list = append(list, app.Title, app.Handle); app.Handle == "online_store" {
			list = append(list, "Online Store")
		}
	}
	return list
}

func (a *Adapter) choosePublication(list []channel) (place, error) {
	chosen, err := kit.PlaceKind[channel]{
		Name: "sales channel", Setting: "PUBSYNC_SHOPIFY_PUBLICATION", Names: channel.names, Clean: a.clean,
		None: "the store has no sales channel: add the Online Store channel in Shopify",
	}.Choose(list, a.set.Channel)
	return chosen.place, err
}

type nodes[T any] struct {
	Nodes []T      `json:"nodes"`
	Page  pageInfo `json:"pageInfo"`
}

type pageInfo struct {
	More bool   `json:"hasNextPage"`
	End  string `json:"endCursor"`
}

// after returns the next page's cursor, or "". A repeated cursor is an error.
func (p pageInfo) after(last string) (string, error) {
	switch {
	case !p.More:
		return "", nil
	case p.End == "" || p.End == last:
		return "", shopadapter.Retry("the shop's list does not end")
	}
	return p.End, nil
}
