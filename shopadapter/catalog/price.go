package catalog

import (
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/shopspring/decimal"
)

// parsePrice reads a decimal above zero as a page can show it: digits, a point, digits. Exponents, signs and blanks are no price.
func parsePrice(s string) (decimal.Decimal, bool) {
	whole, fraction, point := strings.Cut(s, ".")
	if whole == "" || point && fraction == "" || len(s) > 24 || strings.Trim(whole+fraction, "0123456789") != "" {
		return decimal.Decimal{}, false
	}
	d, err := decimal.NewFromString(s)
	return d, err == nil && d.IsPositive()
}

// refusal says why a variant cannot be sold as it is, "" when it can.
func refusal(v shopadapter.Variant) string {
	switch _, ok := parsePrice(v.Price); {
	case v.ID == "":
		return "the variant has no id"
	case v.Price == "":
		return "the variant has no price"
	case !ok:
		return "the price is not a decimal number above zero"
	default:
		return ""
	}
}
