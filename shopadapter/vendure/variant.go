package vendure

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/internal/variants"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// unlimited is the threshold of a variant that may be sold below zero: how far below, in units.
const unlimited = -1_000_000

// maxBatch is how many variants one request makes or changes. Vendure takes about ten milliseconds
// for each.
const maxBatch = 50

// writeVariants brings options and variants to what is wanted. Variants that the merchant added to
// the product are left alone.
func (w *write) writeVariants(ctx context.Context) error {
	vanished := w.matchVariants()
	surplus := w.matchGroups()
	missing := w.variants.Incomplete()
	structural := w.Changed.Has(shopadapter.FieldVariants) || missing
	if structural {
		if err := w.writeStructure(ctx, surplus, vanished, missing); err != nil {
			return err
		}
	}
	if err := w.updateVariants(ctx, structural); err != nil {
		return err
	}
	if structural {
		if err := w.deleteVariants(ctx, vanished); err != nil {
			return err
		}
		if err := w.createVariants(ctx); err != nil {
			return err
		}
		if err := w.tidyOptions(ctx); err != nil {
			return err
		}
	}
	if len(w.made) == 0 {
		return w.refused.None(w.product)
	}
	return nil
}

// writeStructure changes the option groups. That may leave the variants without their options for a
// while, or no variant at all. Then the product is out of sale until finish puts it back.
func (w *write) writeStructure(ctx context.Context, surplus []optionGroup, vanished []string, missing bool) error {
	attach := slices.ContainsFunc(w.groups, func(g wantedGroup) bool { return g.held.ID == "" })
	if w.foreign != "" && (missing || attach || len(surplus) > 0 || !w.chosenAlready()) {
		return shopadapter.Block(
			"the product %s has the option group %q, which was added by hand: take it off the product, since every "+
				"variant needs "+
				"an option of each group",
			w.view.product.ID,
			w.a.scrub(w.foreign),
		)
	}
	survives := slices.ContainsFunc(w.variants, func(v variants.Wanted[variant]) bool { return !v.Unmade() })
	if w.view.product.Enabled && (len(surplus) > 0 || attach || len(vanished) > 0 && !survives) {
		if err := w.a.disable(ctx, w.view.product.ID); err != nil {
			return err
		}
		w.view.product.Enabled = false
	}
	return w.writeGroups(ctx, surplus)
}

// matchVariants finds the wanted variants among those of the product, and returns the ids of ours
// that are wanted no longer: vanished at the supplier, or there twice.
func (w *write) matchVariants() (vanished []string) {
	stays := map[string]bool{} // keys of variants that the supplier has, sold or refused
	for _, v := range w.product.Variants {
		stays[stamp.Key(v.ID)] = true
	}
	seen, byKey := map[string]bool{}, w.byKey()
	for i := range w.view.product.Variants {
		held := &w.view.product.Variants[i]
		if held.CustomFields.PubsyncID == nil || *held.CustomFields.PubsyncID == "" {
			continue
		}
		key := *held.CustomFields.PubsyncID
		if seen[key] || !stays[key] {
			vanished = append(vanished, held.ID)
			continue
		}
		seen[key] = true
		if j, ok := byKey[key]; ok {
			w.variants[j].Held = held
			w.made[w.variants[j].ID] = held.ID
		}
	}
	return vanished
}

// byKey is where each planned variant stands in the list, by the key that the shop's variant of it
// carries.
func (w *write) byKey() map[string]int {
	places := make(map[string]int, len(w.variants))
	for i, v := range slices.Backward(w.variants) { // of two the first counts
		places[stamp.Key(v.ID)] = i
	}
	return places
}

func (w *write) updateVariants(ctx context.Context, structural bool) error {
	var changes []input
	var ids []string
	for _, v := range w.variants {
		if v.Unmade() {
			continue
		}
		if change := w.difference(v, structural); len(change) > 0 {
			change["id"] = v.Held.ID
			changes, ids = append(changes, change), append(ids, v.ID)
		}
	}
	return w.batches(changes, ids, func(some []input) error {
		return step.Within("update variants", w.a.call(ctx, updateVariantsDocument, map[string]any{"input": some}, nil))
	})
}

// difference is what to write to a variant that the shop has.
func (w *write) difference(v variants.Wanted[variant], structural bool) input {
	change := input{}
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
			change["trackInventory"], change["useGlobalOutOfStockThreshold"], change["outOfStockThreshold"] = "TRUE", false, threshold(
				v.Variant,
			)
		}
	}
	return change
}

func threshold(v shopadapter.Variant) int {
	if v.Backorders {
		return unlimited
	}
	return 0
}

func (w *write) optionIDs(v variants.Wanted[variant]) []string {
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
		w.variants,
		func(v variants.Wanted[variant]) bool { return !v.Unmade() && !hasAll(v.Held.Options, w.optionIDs(v)) },
	)
}

// maxName is the longest name of a variant, in runes: what MySQL keeps.
const maxName = 255

// variantNames are the names to write in each language: the product's name as it stands in the shop
// after this call, and the option values.
func (w *write) variantNames(v variants.Wanted[variant], held []translation) []input {
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

func (w *write) createVariants(ctx context.Context) error {
	byKey := w.byKey()
	var fresh []input
	var ids []string
	for _, v := range w.variants {
		if !v.Unmade() {
			continue
		}
		fresh = append(fresh, input{
			"productId": w.view.product.ID, "sku": cmp.Or(v.SKU, v.ID), "optionIds": w.optionIDs(v), "translations": w.variantNames(v, nil),
			"price": w.prices[v.ID], "stockOnHand": v.Quantity, "trackInventory": "TRUE",
			"useGlobalOutOfStockThreshold": false, "outOfStockThreshold": threshold(v.Variant),
			"customFields": input{"pubsyncId": stamp.Key(v.ID)},
		})
		ids = append(ids, v.ID)
	}
	return w.batches(fresh, ids, func(some []input) error {
		var answer struct {
			Made []variant `json:"createProductVariants"`
		}
		if err := w.a.call(ctx, createVariantsDocument, map[string]any{"input": some}, &answer); err != nil {
			return step.Within("create variants", w.explainTax(err))
		}
		for _, made := range answer.Made {
			if made.CustomFields.PubsyncID == nil {
				continue
			}
			if i, ok := byKey[*made.CustomFields.PubsyncID]; ok {
				w.made[w.variants[i].ID] = made.ID
			}
		}
		return nil
	})
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
	return variants.Send(w.refused, ids, slices.Values(parts(inputs, maxBatch)), send)
}

func (w *write) deleteVariants(ctx context.Context, ids []string) error {
	for some := range slices.Chunk(ids, 200) {
		if err := w.a.call(ctx, deleteVariantsDocument, map[string]any{"ids": some}, nil); err != nil {
			return step.Within("delete variants", err)
		}
	}
	return nil
}
