package publication

import (
	"slices"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// noAmount replaces a figure of the supplier that is no amount, and makes no price under any rule.
const noAmount = "?"

// supplyOf is the supplier's figures of a variant. Rules make the same of them as of the variant.
func supplyOf(v marketplace.Variant) store.Supply {
	s := store.Supply{Known: true, Cost: figureText(v.Cost), MSRP: figureText(v.MSRP), Backorders: takesBackorders(v)}
	if v.Quantity != nil {
		s.Quantity = max(0, *v.Quantity)
	}
	return s
}

// LastSupply is the supplier's figures of a variant as last read. What was written was made from others while a
// change is held.
func LastSupply(v store.Variant) store.Supply {
	if !v.Supplied.Known { // written by an earlier version
		return store.Supply{Cost: v.Cost, MSRP: v.MSRP}
	}
	return v.Supplied
}

// variantOf is a variant with the supplier's figures, as the marketplace would show it.
func variantOf(id string, s store.Supply) marketplace.Variant {
	v := marketplace.Variant{ID: id, Cost: s.Cost, MSRP: s.MSRP, Quantity: &s.Quantity}
	if s.Backorders {
		v.Policy = policyContinue
	}
	return v
}

// policyContinue is the supplier's policy that accepts orders beyond the stock.
const policyContinue = "CONTINUE"

func takesBackorders(v marketplace.Variant) bool { return strings.EqualFold(v.Policy, policyContinue) }

func figureText(s string) string {
	if _, err := parseAmount(s); err != nil {
		return noAmount
	}
	return strings.TrimSpace(s)
}

// supplied records the supplier's present figures in the variants of a record, however the look
// ends.
func supplied(variants []store.Variant, now map[string]store.Supply) []store.Variant {
	out := slices.Clone(variants)
	for i := range out {
		if s, ok := now[out[i].ID]; ok {
			out[i].Supplied = s
		}
	}
	return out
}
