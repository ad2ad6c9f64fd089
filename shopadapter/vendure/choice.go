package vendure

import (
	"cmp"
	"context"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/amount"
	"github.com/pubsync/pubsync/shopadapter/internal/each"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
)

// Offers names the options. Vendure tells variants apart by their options alone, so where the
// supplier names none there is one that holds their titles.
func (w *write) Offers(context.Context) (names []string, offer skeleton.Offer, err error) {
	prices, err := w.a.pricesIn(w.view.channel, w.view.precision)
	if err != nil {
		return nil, nil, err
	}
	w.Product = prices.Product(w.Product)
	names = w.Product.Options
	values := func(v shopadapter.Variant) ([]string, string) { return skeleton.Values(v, names) }
	if len(names) == 0 && len(w.Product.Variants) > 1 {
		names = []string{"Variant"}
		values = func(v shopadapter.Variant) ([]string, string) { return []string{cmp.Or(v.Title, v.SKU, v.ID)}, "" }
	}
	if len(names) > maxGroups {
		err = shopadapter.Reject("the product has %d options, and no more than %d are possible", len(names), maxGroups)
	}
	return names, func(v shopadapter.Variant) (chosen []string, why string) {
		if chosen, why = values(v); why == "" {
			w.prices[v.ID], why = minor(v.Price, w.view.precision)
		}
		return chosen, why
	}, err
}

// planGroups makes the option groups of the options. The option values of a refused variant are not
// wanted either.
func (w *write) planGroups() {
	w.groups = nil
	for i, choice := range w.Options {
		options := each.Of(
			choice.Values,
			func(value string) wantedOption { return wantedOption{code: optionCode(value), name: value} },
		)
		name := cmp.Or(strings.TrimSpace(choice.Name), "Option")
		w.groups = append(w.groups, wantedGroup{code: groupCode(w.key, i), name: name, options: options})
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
