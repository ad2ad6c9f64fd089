package kit

import (
	"fmt"
	"net/url"
	"strings"
)

// A Storefront is the address of every product's page in a storefront of which the shop itself knows
// nothing, as the merchant gives it: with Mark where the part of the one product stands.
type Storefront struct {
	Address string
	Mark    string // for example {slug}
}

// Page is the address of one product's page, "" without its part.
func (t Storefront) Page(part string) string {
	if part == "" {
		return ""
	}
	return strings.ReplaceAll(t.Address, t.Mark, url.PathEscape(part))
}

// ValidStorefront checks the address of a Storefront with this mark.
func ValidStorefront(mark, example string) func(string) error {
	return func(value string) error {
		u, err := url.Parse(strings.ReplaceAll(value, mark, "part"))
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" ||
			!strings.Contains(value, mark) {
			return fmt.Errorf("must be an absolute http or https address with %s in it, for example %s", mark, example)
		}
		return nil
	}
}
