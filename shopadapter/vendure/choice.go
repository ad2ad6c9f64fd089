package vendure

import (
	"cmp"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/amount"
	"github.com/pubsync/pubsync/shopadapter/internal/each"
	"github.com/pubsync/pubsync/shopadapter/internal/variants"
)

// planVariants works out option groups and variants from the product alone. A variant that cannot
// be made is refused here, and is not in w.variants; the option values of a refused one are not
// wanted either.
func (w *write) planVariants() {
	names := w.product.Options
	values := func(v shopadapter.Variant) ([]string, string) { return variants.Values(v, names) }
	if len(names) == 0 && len(w.product.Variants) > 1 {
		// Vendure tells variants apart by their options alone, so where the supplier names none
		// there is one that holds their titles.
		names = []string{"Variant"}
		values = func(v shopadapter.Variant) ([]string, string) { return []string{cmp.Or(v.Title, v.SKU, v.ID)}, "" }
	}
	planned := variants.Plan(w.product, w.refused, func(v shopadapter.Variant) (chosen []string, why string) {
		if chosen, why = values(v); why == "" {
			w.prices[v.ID], why = minor(v.Price, w.view.precision)
		}
		return chosen, why
	})
	for i, choice := range variants.Choices(names, planned) {
		options := each.Of(
			choice.Values,
			func(value string) wantedOption { return wantedOption{code: optionCode(value), name: value} },
		)
		w.groups = append(
			w.groups,
			wantedGroup{
				code:    groupCode(w.key, i),
				name:    cmp.Or(strings.TrimSpace(choice.Name), "Option"),
				options: options,
			},
		)
	}
	w.variants = each.Of(
		planned,
		func(v variants.Planned) variants.Wanted[variant] { return variants.Wanted[variant]{Planned: v} },
	)
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
