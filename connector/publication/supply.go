package publication

import (
	"slices"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// noAmount stands for a figure that the supplier gives and that is no amount: it makes no price
// under any rule, however long it is.
const noAmount = "?"

// supplyOf is what the supplier gives for a variant. Rules make the same of it as of the variant.
func supplyOf(v marketplace.Variant) store.Supply {
	s := store.Supply{Known: true, Cost: figureText(v.Cost), MSRP: figureText(v.MSRP), Backorders: takesBackorders(v)}
	if v.Quantity != nil {
		s.Quantity = max(0, *v.Quantity)
	}
	return s
}

// variantOf is a variant as the marketplace would show what the supplier gives.
func variantOf(id string, s store.Supply) marketplace.Variant {
	v := marketplace.Variant{ID: id, Cost: s.Cost, MSRP: s.MSRP, Quantity: &s.Quantity}
	if s.Backorders {
		v.Policy = policyContinue
	}
	return v
}

// policyContinue is the supplier's policy that takes orders beyond the stock.
const policyContinue = "CONTINUE"

func takesBackorders(v marketplace.Variant) bool { return strings.EqualFold(v.Policy, policyContinue) }

func figureText(s string) string {
	if _, err := parseAmount(s); err != nil {
		return noAmount
	}
	return strings.TrimSpace(s)
}

// supplied records in the variants of a record what the supplier gives now, however the look ends.
func supplied(variants []store.Variant, now map[string]store.Supply) []store.Variant {
	out := slices.Clone(variants)
	for i := range out {
		if s, ok := now[out[i].ID]; ok {
			out[i].Supplied = s
		}
	}
	return out
}
