package vendure

import (
	"cmp"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/amount"
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
	prices := map[string]int64{}
	planned := variants.Plan(w.product, w.refused, func(v shopadapter.Variant) (chosen []string, why string) {
		if chosen, why = values(v); why == "" {
			prices[v.ID], why = minor(v.Price, w.view.precision)
		}
		return chosen, why
	})
	for i, choice := range variants.Choices(names, planned) {
		group := wantedGroup{code: groupCode(w.key, i), name: cmp.Or(strings.TrimSpace(choice.Name), "Option")}
		for _, value := range choice.Values {
			group.options = append(group.options, wantedOption{code: optionCode(value), name: value})
		}
		w.groups = append(w.groups, group)
	}
	for _, v := range planned {
		wanted := wantedVariant{Variant: v.Variant, key: stamp.Key(v.ID), price: prices[v.ID]}
		for _, value := range v.Values {
			wanted.codes = append(wanted.codes, optionCode(value))
		}
		w.variants = append(w.variants, wanted)
	}
}

// maxPrice is the largest price that every database behind Vendure holds: a column of 32 bits.
const maxPrice = 1<<31 - 1

// minor is a decimal amount as an integer of the shop's smallest unit.
func minor(price string, precision int32) (units int64, why string) {
	d, ok := amount.Parse(price)
	if !ok {
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
