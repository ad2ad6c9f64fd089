package medusa

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/internal/variants"
)

// A wantedVariant is one that the shop shall sell.
type wantedVariant struct {
	shopadapter.Variant
	title  string
	choice map[string]string // option title -> value
	rank   int
	held   *variant // nil: not made yet
}

var amount = regexp.MustCompile(`^[0-9]{1,15}(\.[0-9]{1,6})?$`)

// planVariants says which variants the shop shall have, with which options. One that cannot be is refused at once.
func (w *write) planVariants() {
	titles := w.product.Options
	if len(titles) == 0 {
		titles = []string{soleOption}
	}
	for _, title := range titles {
		w.options = append(w.options, wantedOption{title: title, values: []string{}})
	}
	for i, v := range w.product.Variants {
		wanted := wantedVariant{Variant: v, title: cmp.Or(v.Title, w.product.Title), choice: map[string]string{}, rank: i}
		values, why := []string{soleValue}, ""
		if len(w.product.Options) > 0 {
			values, why = variants.Values(v, titles)
		}
		for j, value := range values {
			wanted.choice[titles[j]] = value
		}
		same := func(other wantedVariant) bool { return maps.Equal(other.choice, wanted.choice) }
		switch {
		case !amount.MatchString(v.Price):
			w.refused[v.ID] = "the price is not a decimal number"
		case why != "":
			w.refused[v.ID] = why
		case slices.ContainsFunc(w.variants, same):
			w.refused[v.ID] = "another variant has the same options"
		default:
			w.variants = append(w.variants, wanted)
			for j, value := range values {
				if !slices.Contains(w.options[j].values, value) {
					w.options[j].values = append(w.options[j].values, value)
				}
			}
		}
	}
}

// match finds the wanted variants among those of the product. It returns the ids of ours that must go: those that are wanted no longer, are there twice,
// have no inventory, or need another choice or SKU.
func (w *write) match(structural bool) (vanished []string) {
	for i := range w.variants {
		w.variants[i].held = nil
	}
	for i := range w.held.Variants {
		held := &w.held.Variants[i]
		mark := held.Metadata.mark()
		if mark == "" {
			continue // the merchant's
		}
		j := slices.IndexFunc(w.variants, func(v wantedVariant) bool { return v.ID == mark })
		if j < 0 || w.variants[j].held != nil || len(held.Inventory) == 0 ||
			structural && (held.SKU != w.variants[j].SKU || !maps.Equal(held.choice(), w.variants[j].choice)) {
			vanished = append(vanished, held.ID)
			continue
		}
		w.variants[j].held = held
	}
	return vanished
}

func (v *variant) choice() map[string]string {
	choice := map[string]string{}
	for _, o := range v.Options {
		choice[o.Option.Title] = o.Value
	}
	return choice
}

// writeVariants brings options, variants and quantities to what is wanted.
func (w *write) writeVariants(ctx context.Context) error {
	unmade := func(v wantedVariant) bool { return v.held == nil }
	structural := w.merge.Changed.Has(shopadapter.FieldVariants)
	vanished := w.match(structural)
	structural = structural || len(vanished) > 0 || slices.ContainsFunc(w.variants, unmade)
	if structural {
		plan := w.planOptions()
		if plan.rebuilds() {
			vanished = w.dropAll()
		}
		if plan.foreign != "" && slices.ContainsFunc(w.variants, unmade) {
			return w.blockForeign(plan.foreign)
		}
		if w.held.Status == published && !slices.ContainsFunc(w.variants, func(v wantedVariant) bool { return v.held != nil }) {
			if err := w.a.withhold(ctx, w.held.ID); err != nil {
				return err
			}
			w.held.Status = draft
		}
		if err := w.deleteVariants(ctx, vanished); err != nil {
			return err
		}
		if err := w.writeOptions(ctx, plan); err != nil {
			return err
		}
		if err := w.createVariants(ctx); err != nil {
			return err
		}
	}
	if err := w.updateVariants(ctx, structural); err != nil {
		return err
	}
	if err := w.writeStock(ctx); err != nil {
		return err
	}
	for _, v := range w.variants {
		if v.held != nil {
			w.sold[v.ID] = v.held.ID
		}
	}
	if len(w.sold) == 0 {
		return cmp.Or(w.clash, w.refused.None(w.product))
	}
	return nil
}

// dropAll gives up every variant of ours that the product has, and returns their ids.
func (w *write) dropAll() (ids []string) {
	for _, held := range w.held.Variants {
		if held.Metadata.mark() != "" {
			ids = append(ids, held.ID)
		}
	}
	for i := range w.variants {
		w.variants[i].held = nil
	}
	return ids
}

func (w *write) deleteVariants(ctx context.Context, ids []string) error {
	if len(ids) == 0 {
		return nil
	}
	return step.Within("delete variants", w.a.call(ctx, http.MethodPost, w.batch(), query{"fields": "id"}, input{"delete": ids}, nil))
}

func (w *write) batch() string { return "products/" + w.held.ID + "/variants/batch" }

// createVariants makes what is missing, and reads the product again: the quantities need the ids of the inventory that Medusa has made.
func (w *write) createVariants(ctx context.Context) error {
	var fresh []input
	var ids []string
	for _, v := range w.variants {
		if v.held != nil {
			continue
		}
		one := input{
			"title": v.title, "manage_inventory": true, "allow_backorder": v.Backorders, "variant_rank": v.rank, "options": v.choice,
			"metadata": metadata{mark: v.ID}, "prices": []price{{Currency: w.shop.currency, Amount: json.Number(v.Price)}},
		}
		if v.SKU != "" {
			one["sku"] = v.SKU
		}
		if v.EAN != "" {
			one["ean"] = v.EAN
		}
		fresh, ids = append(fresh, one), append(ids, v.ID)
		w.fresh[v.ID] = true
	}
	if len(fresh) == 0 {
		return nil
	}
	if err := w.send(ctx, "create", fresh, ids); err != nil {
		return err
	}
	whole, err := w.a.read(ctx, w.held.ID)
	if err != nil {
		return err
	}
	w.held.Variants, w.held.Options = whole.Variants, whole.Options
	w.match(false)
	return nil
}

func (w *write) updateVariants(ctx context.Context, structural bool) error {
	var changes []input
	var ids []string
	for _, v := range w.variants {
		if v.held == nil || w.fresh[v.ID] {
			continue
		}
		if change := w.difference(v, structural); len(change) > 0 {
			change["id"] = v.held.ID
			changes, ids = append(changes, change), append(ids, v.ID)
		}
	}
	return w.send(ctx, "update", changes, ids)
}

// difference is what to write to a variant that the shop has.
func (w *write) difference(v wantedVariant, structural bool) input {
	change := input{}
	if structural {
		if v.held.Title != v.title {
			change["title"] = v.title
		}
		if v.EAN != "" && v.held.EAN != v.EAN {
			change["ean"] = v.EAN
		}
		if v.held.Rank != v.rank {
			change["variant_rank"] = v.rank
		}
	}
	if w.merge.Changed.Has(shopadapter.FieldStock) {
		if !v.held.Managed {
			change["manage_inventory"] = true
		}
		if v.held.Backorders != v.Backorders {
			change["allow_backorder"] = v.Backorders
		}
	}
	if w.merge.Changed.Has(shopadapter.FieldPrice) {
		prices, same := []price{{Currency: w.shop.currency, Amount: json.Number(v.Price)}}, false
		for _, p := range v.held.Prices {
			if p.Currency != w.shop.currency || p.Least != nil || p.Most != nil || len(p.Rules) > 0 {
				prices = append(prices, p) // the merchant's
			} else {
				same = equal(string(p.Amount), v.Price)
			}
		}
		if !same {
			change["prices"] = prices
		}
	}
	return change
}

func equal(a, b string) bool {
	x, errX := decimal.NewFromString(a)
	y, errY := decimal.NewFromString(b)
	return errX == nil && errY == nil && x.Equal(y)
}

// maxBatch is how many variants one request makes or changes.
const maxBatch = 100

// send writes variants in batches. An EAN that another variant has is left out.
func (w *write) send(ctx context.Context, verb string, inputs []input, ids []string) error {
	post := func(some []input) error {
		err := w.a.call(ctx, http.MethodPost, w.batch(), query{"fields": "id"}, input{verb: some}, nil)
		return step.Within(verb+" variants", err)
	}
	alone := func(some []input) error {
		err := post(some)
		if len(some) == 1 && taken(err, "ean") {
			delete(some[0], "ean")
			err = post(some)
		}
		if len(some) == 1 && taken(err, "sku") {
			w.clash = shopadapter.Block("%s Give the other product another SKU, or set PUBSYNC_SHOP_SKU_PREFIX", shopadapter.Explain(err).Message)
		}
		return err
	}
	for run := range slices.Chunk(inputs, maxBatch) {
		if err := variants.Send(w.refused, ids[:len(run)], run, alone); err != nil {
			return err
		}
		ids = ids[len(run):]
	}
	return nil
}
