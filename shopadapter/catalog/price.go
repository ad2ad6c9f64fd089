package catalog

import (
	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/amount"
)

// parsePrice reads a price: an amount above zero.
func parsePrice(s string) (decimal.Decimal, bool) {
	d, ok := amount.Parse(s)
	return d, ok && d.IsPositive()
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
