package kit

import (
	"context"
	"errors"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// A PlaceKind is a kind of place that sells: a sales channel, a location of stock.
type PlaceKind[P any] struct {
	Name    string // for example "stock location"
	Setting string // the variable that chooses one
	None    string // message if the shop has none
	// Names returns the name to show, then other names and ids that the merchant may know.
	Names func(P) []string
	Clean func(string) string
}

// Choose returns the place with the wanted name, in any case, or the only one if none is wanted. The error is
// Blocked, shop-wide.
func (k PlaceKind[P]) Choose(list []P, wanted string) (place P, err error) {
	is := func(p P) bool {
		return slices.ContainsFunc(k.Names(p), func(name string) bool { return strings.EqualFold(name, wanted) })
	}
	known := k.Clean(strings.Join(Each(list, func(p P) string { return k.Names(p)[0] }), ", "))
	switch i := slices.IndexFunc(list, is); {
	case wanted != "" && i >= 0:
		return list[i], nil
	case len(list) == 0:
		err = shopadapter.Block("%s", k.None).Everywhere()
	case wanted != "":
		err = shopadapter.Block("the shop has no such %s: set %s to the name or the id of one (%s)", k.Name, k.Setting,
			known).Everywhere()
	case len(list) > 1:
		err = shopadapter.Block("the shop has %d %ss: choose one with %s (%s)", len(list), k.Name, k.Setting,
			known).Everywhere()
	default:
		place = list[0]
	}
	return place, err
}

// A Storefront is the setting for the address of product pages that the shop does not know. {slug} or {handle} stands
// for the product's part.
type Storefront string

var productPart = regexp.MustCompile(`\{(slug|handle)\}`)

// EnvDecode reads the setting.
func (s *Storefront) EnvDecode(_ context.Context, value string) error {
	*s = Storefront(value)
	u, err := url.Parse(productPart.ReplaceAllLiteralString(value, "part"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || !productPart.MatchString(value) {
		return errors.New("must be an absolute http or https address with {slug} or {handle} in it, for example " +
			"https://shop.example/product/{slug}")
	}
	return nil
}

// Page returns the address of one product's page, "" without its part.
func (s Storefront) Page(part string) string {
	if part == "" {
		return ""
	}
	return productPart.ReplaceAllLiteralString(string(s), url.PathEscape(part))
}
