package kit

import (
	"context"
	"errors"
	"net/url"
	"regexp"
)

// A Storefront is the setting for the address of every product's page in a storefront of which the shop
// itself knows nothing, with {slug} or {handle} where the part of the one product stands.
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

// Page is the address of one product's page, "" without its part.
func (s Storefront) Page(part string) string {
	if part == "" {
		return ""
	}
	return productPart.ReplaceAllLiteralString(string(s), url.PathEscape(part))
}
