package vendure

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/each"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// unlimited is the threshold of a variant that may be sold below zero: how far below, in units.
const unlimited = -1_000_000

// maxBatch is how many variants one request makes or changes. Vendure takes about ten milliseconds
// for each.
const maxBatch = 50

// Key is the mark of a variant, "" for one that the merchant added to the product.
func (w *write) Key(held *variant) string {
	if held.CustomFields.PubsyncID == nil {
		return ""
	}
	return *held.CustomFields.PubsyncID
}

// ID is Vendure's id of a variant.
func (w *write) ID(held *variant) string { return held.ID }

// Fits holds for every variant with the mark: Vendure changes SKU and options in place.
func (w *write) Fits(*variant, skeleton.Planned, bool) bool { return true }

// Withhold takes the product out of sale.
func (w *write) Withhold(ctx context.Context) error {
	w.held.Enabled = false
	return w.a.disable(ctx, w.held, w.key)
}

// Change writes what differs of the variants that are there, and deletes the options that none of
// them has any more.
func (w *write) Change(ctx context.Context, structural bool) error {
	var changes []input
	var ids []string
	for _, v := range w.Variants {
		if v.Unmade() {
			continue
		}
		if change := w.difference(v, structural); len(change) > 0 {
			change["id"] = v.Held.ID
			changes, ids = append(changes, change), append(ids, v.ID)
		}
	}
	err := w.batches(changes, ids, func(some []input) error {
		return step.Within("update variants", w.a.call(ctx, updateVariantsDocument, map[string]any{"input": some}, nil))
	})
	if err != nil || !structural {
		return err
	}
	return w.tidyOptions(ctx)
}

// difference is what to write to a variant that the shop has.
func (w *write) difference(v skeleton.Wanted[variant], structural bool) input {
	change := input{}
	if w.Ref.Revive {
		change["enabled"] = true
	}
	if structural {
		if sku := cmp.Or(v.SKU, v.ID); v.Held.SKU != sku {
			change["sku"] = sku
		}
		if want := w.optionIDs(v); len(want) > 0 && w.foreign == "" && !hasAll(v.Held.Options, want) {
			change["optionIds"] = want
		}
	}
	if structural || w.Changed.Any(shopadapter.FieldTitle|shopadapter.FieldDescription) {
		if names := w.variantNames(v, v.Held.Translations); len(names) > 0 {
			change["translations"] = names
		}
	}
	if w.Changed.Has(shopadapter.FieldPrice) {
		i := slices.IndexFunc(v.Held.Prices, func(p price) bool { return p.CurrencyCode == w.view.channel.Currency })
		if i < 0 || v.Held.Prices[i].Price != w.prices[v.ID] {
			change["price"] = w.prices[v.ID]
		}
	}
	if w.Changed.Has(shopadapter.FieldStock) {
		if len(v.Held.StockLevels) != 1 || v.Held.StockLevels[0].StockOnHand != v.Quantity {
			change["stockOnHand"] = v.Quantity
		}
		if v.Held.TrackInventory != "TRUE" || v.Held.UseGlobal || v.Held.Threshold != threshold(v.Variant) {
			change["trackInventory"], change["useGlobalOutOfStockThreshold"] = "TRUE", false
			change["outOfStockThreshold"] = threshold(v.Variant)
		}
	}
	if details := w.planDetails(v); len(details) > 0 {
		change[custom] = details
	}
	return change
}

func threshold(v shopadapter.Variant) int {
	if v.Backorders {
		return unlimited
	}
	return 0
}

func (w *write) optionIDs(v skeleton.Wanted[variant]) []string {
	ids := make([]string, 0, len(v.Values))
	for i, value := range v.Values {
		ids = append(ids, w.groups[i].optionID(optionCode(value)))
	}
	return ids
}

func hasAll(held []node, want []string) bool {
	return !slices.ContainsFunc(want, func(id string) bool { return !slices.Contains(held, node{ID: id}) })
}

// chosenAlready tells whether every variant that the shop has has the options it shall have.
func (w *write) chosenAlready() bool {
	return !slices.ContainsFunc(
		w.Variants,
		func(v skeleton.Wanted[variant]) bool { return !v.Unmade() && !hasAll(v.Held.Options, w.optionIDs(v)) },
	)
}

// maxName is the longest name of a variant, in runes: what MySQL keeps.
const maxName = 255

// variantNames are the names to write in each language: the product's name as it stands in the shop
// after this call, and the option values.
func (w *write) variantNames(v skeleton.Wanted[variant], held []translation) []input {
	var names []input
	for _, r := range w.rows {
		name, ok := w.names[r.language]
		if !ok {
			continue
		}
		name = strings.Join(append([]string{name}, v.Values...), " ")
		if runes := []rune(name); len(runes) > maxName {
			name = string(runes[:maxName])
		}
		if t := rowIn(held, r.language); t == nil || t.Name != name {
			names = append(names, input{"languageCode": r.language, "name": name})
		}
	}
	return names
}

// Make makes the variants that are not there.
func (w *write) Make(ctx context.Context) error {
	var fresh []input
	var ids []string
	for _, v := range w.Variants {
		if !v.Unmade() {
			continue
		}
		fields := input{"pubsyncId": stamp.Key(v.ID)}
		maps.Copy(fields, w.planDetails(v))
		fresh = append(fresh, input{
			"productId": w.held.ID, "sku": cmp.Or(v.SKU, v.ID), "optionIds": w.optionIDs(v),
			"translations": w.variantNames(v, nil),
			"price":        w.prices[v.ID], "stockOnHand": v.Quantity, "trackInventory": "TRUE",
			"useGlobalOutOfStockThreshold": false, "outOfStockThreshold": threshold(v.Variant),
			custom: fields,
		})
		ids = append(ids, v.ID)
	}
	all := slices.Clone(w.Found.Variants)
	err := w.batches(fresh, ids, func(some []input) error {
		var answer struct {
			Made []variant `json:"createProductVariants"`
		}
		err := w.a.call(ctx, createVariantsDocument, map[string]any{"input": some}, &answer)
		all = append(all, answer.Made...)
		return step.Within("create variants", w.explainTax(err))
	})
	w.Take(w, all)
	return err
}

// explainTax knows the one internal error that a merchant can mend: in a channel without a default
// tax zone Vendure cannot make a variant.
func (w *write) explainTax(err error) error {
	if e := shopadapter.Explain(err); w.view.channel.DefaultTax == nil && e.Kind == shopadapter.Transient &&
		hasCode(err, "INTERNAL_SERVER_ERROR") {
		return missingTaxZone()
	}
	return err
}

func missingTaxZone() error {
	return shopadapter.Block("the channel has no default tax zone, without which Vendure makes no variants: set one " +
		"in the channel's settings").
		Everywhere()
}

// batches sends inputs in runs that each fit one request.
func (w *write) batches(inputs []input, ids []string, send func([]input) error) error {
	return skeleton.Send(w.Refused, ids, slices.Values(parts(inputs, maxBatch)), func(some []input) error {
		err := send(some)
		if len(some) == 1 && step.Rejected(err) && bare(some) {
			err = send(some)
		}
		return err
	})
}

// Delete deletes variants.
func (w *write) Delete(ctx context.Context, surplus []*variant) error {
	for some := range slices.Chunk(surplus, 200) {
		ids := each.Of(some, func(held *variant) string { return held.ID })
		if err := w.a.call(ctx, deleteVariantsDocument, map[string]any{"ids": ids}, nil); err != nil {
			return step.Within("delete variants", err)
		}
	}
	return nil
}
