package vendure

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/amount"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

const (
	// unlimited is the threshold for backorders, in units below zero.
	unlimited = -1_000_000
	// maxBatch bounds the variants of a request; each takes Vendure about ten milliseconds.
	maxBatch = 50
	// maxPrice fits every database of Vendure: a column of 32 bits.
	maxPrice = 1<<31 - 1
	// maxName is MySQL's limit, in runes.
	maxName = 255
)

// plan matches variants and options. Vendure tells variants apart by options alone, so without options one is made
// of their titles.
func (w *write) plan() error {
	prices, err := w.a.prices(w.view)
	if err != nil {
		return err
	}
	w.p = prices.Product(w.p)
	names := w.p.Options
	values := func(v shopadapter.Variant) ([]string, string) { return kit.Chosen(v, names) }
	switch {
	case w.p.Figures:
		names, values = nil, func(v shopadapter.Variant) ([]string, string) { return []string{v.ID}, "" }
	case len(names) == 0 && len(w.p.Variants) > 1:
		names = []string{"Variant"}
		values = func(v shopadapter.Variant) ([]string, string) { return []string{cmp.Or(v.Title, v.SKU, v.ID)}, "" }
	case len(names) > maxGroups:
		return shopadapter.Reject("the product has %d options, and no more than %d are possible", len(names), maxGroups)
	}
	w.planned = kit.Fit(w.p, w.refused, func(v shopadapter.Variant) (list []string, why string) {
		if list, why = values(v); why == "" {
			w.prices[v.ID], why = minor(v.Price, w.view.Global.ServerConfig.Precision)
		}
		return list, why
	})
	if len(w.planned) == 0 {
		return w.refused.None(w.p)
	}
	for i, choice := range kit.Choices(names, w.planned) {
		choice.Name = cmp.Or(strings.TrimSpace(choice.Name), "Option")
		w.groups = append(w.groups, wantedGroup{code: groupCode(w.key, i), Axis: choice})
	}
	w.match()
	return nil
}

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

func (w *write) match() {
	var held []variant
	if w.held != nil {
		held = w.held.Variants
	}
	w.wanted, w.surplus = kit.Match(w.planned, held,
		func(v *variant) string { return *cmp.Or(v.CustomFields.PubsyncID, new(string)) },
		func(*variant, kit.Planned) bool { return true }, // SKU and options change in place
	)
}

// vary writes options and variants. The order ensures that no two variants have the same choice, and that a product
// is off sale while it has no variant or a variant lacks an option.
func (w *write) vary(ctx context.Context) error {
	w.match()
	structural := w.Changed.Has(shopadapter.FieldVariants) || len(w.surplus) > 0 || kit.Unmade(w.wanted)
	if structural {
		gap, err := w.planOptions()
		if err != nil {
			return err
		}
		if w.held.Enabled && (gap || len(w.made()) == 0) {
			w.held.Enabled = false
			if err := w.a.disable(ctx, w.held, w.key); err != nil {
				return err
			}
		}
		if len(w.surplus) > 0 {
			ids := kit.Each(w.surplus, func(v *variant) string { return v.ID })
			if err := w.a.call(ctx, deleteVariantsDocument, input{"ids": ids}, nil); err != nil {
				return err
			}
		}
		if err := w.writeOptions(ctx); err != nil {
			return err
		}
	}
	if err := w.change(ctx, structural); err != nil {
		return err
	}
	if structural {
		if err := w.tidyOptions(ctx); err != nil {
			return err
		}
		if err := w.make(ctx); err != nil {
			return err
		}
	}
	if len(w.made()) == 0 {
		return w.refused.None(w.p)
	}
	return nil
}

// change writes the figures that differ, and SKUs and options if structural.
func (w *write) change(ctx context.Context, structural bool) error {
	var changes []input
	var ids []string
	for _, v := range w.wanted {
		if v.Held == nil {
			continue
		}
		if change := w.difference(v, structural); len(change) > 0 {
			change["id"] = v.Held.ID
			changes, ids = append(changes, change), append(ids, v.ID)
		}
	}
	return w.batches(changes, ids, func(some []input) error {
		return w.a.call(ctx, updateVariantsDocument, input{"input": some}, nil)
	})
}

func (w *write) difference(v kit.Wanted[variant], structural bool) input {
	change := input{}
	if w.ref.Revive {
		change["enabled"] = true
	}
	if structural {
		if sku := cmp.Or(v.SKU, v.ID); v.Held.SKU != sku {
			change["sku"] = sku
		}
		if want := w.optionIDs(v); w.foreign == "" && !hasAll(v.Held.Options, want) {
			change["optionIds"] = want
		}
	}
	if structural || w.Changed.Any(shopadapter.FieldTitle|shopadapter.FieldDescription) {
		if names := w.variantNames(v, v.Held.Translations); len(names) > 0 {
			change["translations"] = names
		}
	}
	if w.Changed.Has(shopadapter.FieldPrice) {
		want := price{w.prices[v.ID], w.view.Channel.Currency}
		if !slices.Contains(v.Held.Prices, want) {
			change["price"] = want.Price
		}
	}
	if w.Changed.Has(shopadapter.FieldStock) {
		if len(v.Held.StockLevels) == 0 || v.Held.stocked() != v.Quantity {
			change["stockOnHand"] = v.Quantity
		}
		if v.Held.TrackInventory != "TRUE" || v.Held.UseGlobalOutOfStockThreshold ||
			v.Held.OutOfStockThreshold != threshold(v.Variant) {
			maps.Copy(change, counted(v.Variant))
		}
	}
	if details := w.planDetails(v); len(details) > 0 {
		change["customFields"] = details
	}
	return change
}

// counted makes a variant's counting independent of channel and global settings.
func counted(v shopadapter.Variant) input {
	return input{
		"trackInventory": "TRUE", "useGlobalOutOfStockThreshold": false, "outOfStockThreshold": threshold(v),
	}
}

func threshold(v shopadapter.Variant) int {
	if v.Backorders {
		return unlimited
	}
	return 0
}

// variantNames joins the product's name after this call with the option values, by language.
func (w *write) variantNames(v kit.Wanted[variant], held []translation) (names []input) {
	for _, r := range w.rows {
		name, ok := w.names[r.Locale]
		if !ok {
			continue
		}
		runes := []rune(strings.Join(append([]string{name}, v.Values...), " "))
		name = string(runes[:min(len(runes), maxName)])
		if t := rowIn(held, r.Locale); t == nil || t.Name != name {
			names = append(names, input{"languageCode": r.Locale, "name": name})
		}
	}
	return names
}

// make makes missing variants, each with its mark in the same request.
func (w *write) make(ctx context.Context) error {
	var fresh []input
	var ids []string
	for _, v := range w.wanted {
		if v.Held != nil {
			continue
		}
		fields := input{"pubsyncId": kit.Key(v.ID)}
		maps.Copy(fields, w.planDetails(v))
		one := input{
			"productId": w.held.ID, "sku": cmp.Or(v.SKU, v.ID), "optionIds": w.optionIDs(v),
			"translations": w.variantNames(v, nil), "price": w.prices[v.ID], "stockOnHand": v.Quantity,
			"customFields": fields,
		}
		maps.Copy(one, counted(v.Variant))
		fresh, ids = append(fresh, one), append(ids, v.ID)
	}
	err := w.batches(fresh, ids, func(some []input) error {
		var answer struct{ CreateProductVariants []variant }
		err := w.a.call(ctx, createVariantsDocument, input{"input": some}, &answer)
		w.held.Variants = append(w.held.Variants, answer.CreateProductVariants...)
		return err
	})
	w.match()
	return err
}

// batches sends variants in requests that fit. A refused variant is sent again without its details.
func (w *write) batches(inputs []input, ids []string, send func([]input) error) error {
	for _, run := range parts(inputs, maxBatch) {
		err := kit.Alone(run, send, func(one input, _ error) bool { return bare(one) }, func(i int, why error) {
			w.refused[ids[i]] = shopadapter.Explain(why).Message
		})
		if err != nil {
			return err
		}
		ids = ids[len(run):]
	}
	return nil
}
