package vendure

import (
	"cmp"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/variants"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// A wantedVariant is a variant that may be sold, with what was worked out for it.
type wantedVariant struct {
	shopadapter.Variant
	key   string
	codes []string // of its options, one for each wanted group
	price int64    // minor units

	held *variant // what the shop has of it, nil for a new one
}

// planVariants works out option groups and variants from the product alone. A variant that cannot be made is refused here, and is not in
// w.variants; the option values of a refused one are not wanted either.
func (w *write) planVariants() {
	names := w.product.Options
	values := func(v shopadapter.Variant) ([]string, string) { return variants.Values(v, names) }
	if len(names) == 0 && len(w.product.Variants) > 1 {
		// Vendure tells variants apart by their options alone, so where the supplier names none there is one that holds their titles.
		names = []string{"Variant"}
		values = func(v shopadapter.Variant) ([]string, string) { return []string{cmp.Or(v.Title, v.SKU, v.ID)}, "" }
	}
	for i, name := range names {
		w.groups = append(w.groups, wantedGroup{code: groupCode(w.key, i), name: cmp.Or(strings.TrimSpace(name), "Option")})
	}
	prices := map[string]int64{}
	planned := variants.Plan(w.product, w.refused, func(v shopadapter.Variant) (chosen []string, why string) {
		if chosen, why = values(v); why == "" {
			prices[v.ID], why = minor(v.Price, w.view.precision)
		}
		return chosen, why
	})
	for _, v := range planned {
		wanted := wantedVariant{Variant: v.Variant, key: stamp.Key(v.ID), price: prices[v.ID]}
		for i, value := range v.Values {
			code := optionCode(value)
			wanted.codes = append(wanted.codes, code)
			w.groups[i].want(wantedOption{code: code, name: value})
		}
		w.variants = append(w.variants, wanted)
	}
}

func (g *wantedGroup) want(o wantedOption) {
	if !slices.Contains(g.options, o) {
		g.options = append(g.options, o)
	}
}

// maxPrice is the largest price that every database behind Vendure holds: a column of 32 bits.
const maxPrice = 1<<31 - 1

// minor is a decimal amount as an integer of the shop's smallest unit.
func minor(amount string, precision int32) (units int64, why string) {
	d, err := decimal.NewFromString(amount)
	if err != nil || d.IsNegative() {
		return 0, "its price is not an amount"
	}
	shifted := d.Shift(precision)
	if shifted.GreaterThan(decimal.NewFromInt(maxPrice)) {
		return 0, "its price is larger than Vendure can hold"
	}
	if !shifted.IsInteger() {
		return 0, "its price has more decimals than the shop"
	}
	return shifted.IntPart(), ""
}
