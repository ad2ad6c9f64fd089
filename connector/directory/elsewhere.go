package directory

import (
	"net/url"
	"strings"
)

// Elsewhere warns where the channels name other shops than the one whose product page is at an
// address; "" where one of them is that shop, or where nothing can be compared.
func (l List) Elsewhere(page string) string {
	shop := hostOf(page)
	var other []string
	for _, c := range l.Channels {
		host := hostOf(c.URL)
		switch {
		case host == "":
		case host == shop, strings.HasSuffix(host, "."+shop), strings.HasSuffix(shop, "."+host):
			return ""
		default:
			other = append(other, host)
		}
	}
	if shop == "" || len(other) == 0 {
		return ""
	}
	return "the marketplace thinks that it feeds " + strings.Join(other, ", ") +
		", and the product pages that are reported lie at " + shop +
		": correct the store's address in the marketplace account, or use the token of the account that feeds this shop"
}

// hostOf is the host of an address, which may lack its scheme; "" where it has none.
func hostOf(address string) string {
	if address = strings.TrimSpace(address); !strings.Contains(address, "://") {
		address = "https://" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(u.Hostname()), "www."), ".")
}
