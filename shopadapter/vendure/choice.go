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
	taken := map[string]string{}
	for _, v := range w.product.Variants {
		wanted := wantedVariant{Variant: v, key: stamp.Key(v.ID)}
		chosen, why := values(v)
		if why == "" {
			wanted.price, why = minor(v.Price, w.view.precision)
		}
		for _, value := range chosen {
			wanted.codes = append(wanted.codes, optionCode(value))
		}
		combination := strings.Join(wanted.codes, " ")
		if other, ok := taken[combination]; ok && why == "" {
			why = "it has the same options as the variant " + other
		}
		if why != "" {
			w.refused[v.ID] = why
			continue
		}
		taken[combination] = cmp.Or(v.Title, v.ID)
		for i, value := range chosen {
			w.groups[i].want(wantedOption{code: wanted.codes[i], name: value})
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
