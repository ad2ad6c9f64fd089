// Package storefront makes the address of a product's page in a storefront that the shop itself
// knows nothing of. The merchant gives it as a template.
package storefront

import (
	"fmt"
	"net/url"
	"strings"
)

// A Template is the address of every product's page, with Mark where the part of the one product
// stands.
type Template struct {
	Address string
	Mark    string // for example {slug}
}

// Page is the address of one product's page, "" without its part.
func (t Template) Page(part string) string {
	if part == "" {
		return ""
	}
	return strings.ReplaceAll(t.Address, t.Mark, url.PathEscape(part))
}

// Valid checks the address of a Template with this mark.
func Valid(mark, example string) func(string) error {
	return func(value string) error {
		u, err := url.Parse(strings.ReplaceAll(value, mark, "part"))
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" ||
			!strings.Contains(value, mark) {
			return fmt.Errorf("must be an absolute http or https address with %s in it, for example %s", mark, example)
		}
		return nil
	}
}
