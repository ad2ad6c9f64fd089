package publication

import (
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/store"
)

// GroupOf is the group of a held change, its kind and its cause:
//
//	price/supplier-up, -down          the supplier moved a figure
//	price/rules-up, -down             the merchant's rules have changed
//	price/unknown-up, -down           a part of the price is not known
//	first-price/high, -low            a new product or variant
//	removal/absent, /no-listing,
//	  /no-variants                    the entry is gone, or has nothing to show
//	foreign, rules, drift             have one cause each
func GroupOf(h store.Hold) string {
	cause := h.Cause
	switch h.Kind {
	case store.HoldPrice:
		direction := "down"
		if rises(h) {
			direction = "up"
		}
		cause = strings.TrimPrefix(h.Cause+"-"+direction, "-")
	case store.HoldRemoval:
		cause = h.New
	default:
	}
	if cause == "" {
		return string(h.Kind)
	}
	return string(h.Kind) + "/" + cause
}

// rises reports whether a held price is above the one that it would replace.
func rises(h store.Hold) bool {
	before, err := decimal.NewFromString(h.Old)
	after, nerr := decimal.NewFromString(h.New)
	return err == nil && nerr == nil && after.GreaterThan(before)
}
