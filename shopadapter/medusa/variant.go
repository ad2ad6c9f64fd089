package medusa

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"regexp"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
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

func (v wantedVariant) unmade() bool { return v.held == nil }

var amount = regexp.MustCompile(`^[0-9]{1,15}(\.[0-9]{1,6})?$`)

// planVariants says which variants the shop shall have, with which options. One that cannot be is refused at once.
func (w *write) planVariants(context.Context) error {
	titles := w.product.Options
	if len(titles) == 0 {
		titles = []string{soleOption}
	}
	for _, title := range titles {
		w.options = append(w.options, wantedOption{title: title, values: []string{}})
	}
	values := func(v shopadapter.Variant) ([]string, string) {
		if !amount.MatchString(v.Price) {
			return nil, "the price is not a decimal number"
		}
		if len(w.product.Options) == 0 {
			return []string{soleValue}, ""
		}
		return variants.Values(v, titles)
	}
	for _, v := range variants.Plan(w.product, w.refused, values) {
		wanted := wantedVariant{Variant: v.Variant, title: cmp.Or(v.Title, w.product.Title), choice: map[string]string{}, rank: v.Place}
		for i, value := range v.Values {
			wanted.choice[titles[i]] = value
			if !slices.Contains(w.options[i].values, value) {
				w.options[i].values = append(w.options[i].values, value)
			}
		}
		w.variants = append(w.variants, wanted)
	}
	if len(w.variants) == 0 {
		return w.refused.None(w.product)
	}
	return nil
}

// match finds the wanted variants among those of the product. It returns the ids of ours that must go: those that are wanted no longer, are there twice,
// have no inventory, or do not fit.
func (w *write) match(fits func(*variant, wantedVariant) bool) (vanished []string) {
	for i := range w.variants {
		w.variants[i].held = nil
	}
	for i := range w.held.Variants {
		held := &w.held.Variants[i]
		mark := held.Metadata.mark()
		j := slices.IndexFunc(w.variants, func(v wantedVariant) bool { return v.ID == mark })
		switch {
		case mark == "": // the merchant's
		case j < 0 || w.variants[j].held != nil || len(held.Inventory) == 0 || !fits(held, w.variants[j]):
			vanished = append(vanished, held.ID)
		default:
			w.variants[j].held = held
		}
	}
	return vanished
}

func anyFits(*variant, wantedVariant) bool { return true }

func noneFits(*variant, wantedVariant) bool { return false }

// sameChoice reports whether a variant has the options and the SKU that it shall have.
func sameChoice(held *variant, v wantedVariant) bool {
	choice := map[string]string{}
	for _, o := range held.Options {
		choice[o.Option.Title] = o.Value
	}
	return held.SKU == v.SKU && maps.Equal(choice, v.choice)
}

// writeVariants brings options, variants and quantities to what is wanted.
func (w *write) writeVariants(ctx context.Context) error {
	fits, structural := anyFits, w.Changed.Has(shopadapter.FieldVariants)
	if structural {
		fits = sameChoice
	}
	vanished := w.match(fits)
	structural = structural || len(vanished) > 0 || slices.ContainsFunc(w.variants, wantedVariant.unmade)
	if structural {
		if err := w.writeStructure(ctx, vanished); err != nil {
			return err
		}
	}
	if err := w.send(ctx, "update", structural); err != nil {
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

// writeStructure changes options, deletes variants and makes others. A product that is left without a variant meanwhile is taken out of sale.
func (w *write) writeStructure(ctx context.Context, vanished []string) error {
	plan := w.planOptions()
	if plan.rebuilds() {
		vanished = w.match(noneFits)
	}
	if plan.foreign != "" && slices.ContainsFunc(w.variants, wantedVariant.unmade) {
		return shopadapter.Block("the product %s has the option %q, which was added by hand: take it off the product, since each variant needs a value "+
			"of each option", w.held.ID, w.a.api.Clean(plan.foreign))
	}
	if w.held.Status == published && !slices.ContainsFunc(w.variants, func(v wantedVariant) bool { return !v.unmade() }) {
		if err := w.a.withhold(ctx, w.held.ID); err != nil {
			return err
		}
		w.held.Status = draft
	}
	if len(vanished) > 0 {
		if _, err := w.a.post(ctx, "delete variants", w.batch(), query{"fields": "id"}, input{"delete": vanished}); err != nil {
			return err
		}
	}
	if err := w.writeOptions(ctx, plan); err != nil || !slices.ContainsFunc(w.variants, wantedVariant.unmade) {
		return err
	}
	if err := w.send(ctx, "create", true); err != nil {
		return err
	}
	// The quantities need the ids of the inventory that Medusa has made.
	whole, err := w.a.get(ctx, "read product", "products/"+w.held.ID, query{"fields": wholeFields})
	if err == nil {
		w.held.Variants, w.held.Options = whole.Product.Variants, whole.Product.Options
		w.match(anyFits)
	}
	return err
}

func (w *write) batch() string { return "products/" + w.held.ID + "/variants/batch" }

// difference is what to write to a variant, all of it where there is none.
func (w *write) difference(v wantedVariant, structural bool) input {
	change, held, changed := input{}, v.held, w.Changed
	set := func(differs bool, name string, value any) {
		if differs {
			change[name] = value
		}
	}
	if held == nil {
		held, changed = &variant{}, shopadapter.AllFields
		change["options"], change["metadata"] = v.choice, metadata{mark: v.ID}
		set(v.SKU != "", "sku", v.SKU)
	}
	if structural {
		set(held.Title != v.title, "title", v.title)
		set(v.EAN != "" && held.EAN != v.EAN, "ean", v.EAN)
		set(held.Rank != v.rank, "variant_rank", v.rank)
	}
	if changed.Has(shopadapter.FieldStock) {
		set(!held.Managed, "manage_inventory", true)
		set(held.Backorders != v.Backorders, "allow_backorder", v.Backorders)
	}
	if changed.Has(shopadapter.FieldPrice) {
		prices, same := []price{{Currency: w.shop.currency, Amount: json.Number(v.Price)}}, false
		for _, p := range held.Prices {
			if p.Currency != w.shop.currency || p.Least != nil || p.Most != nil || len(p.Rules) > 0 {
				prices = append(prices, p) // the merchant's
			} else {
				same = equal(string(p.Amount), v.Price)
			}
		}
		set(!same, "prices", prices)
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

// send makes the variants that are missing, or changes those that differ: verb is create or update. An EAN that another variant has is left out.
func (w *write) send(ctx context.Context, verb string, structural bool) error {
	var inputs []input
	var ids []string
	for _, v := range w.variants {
		if v.unmade() != (verb == "create") || w.fresh[v.ID] {
			continue
		}
		if change := w.difference(v, structural); len(change) > 0 {
			if w.fresh[v.ID] = v.unmade(); !v.unmade() {
				change["id"] = v.held.ID
			}
			inputs, ids = append(inputs, change), append(ids, v.ID)
		}
	}
	post := func(some []input) error {
		_, err := w.a.post(ctx, verb+" variants", w.batch(), query{"fields": "id"}, input{verb: some})
		return err
	}
	for run := range slices.Chunk(inputs, maxBatch) {
		err := variants.Send(w.refused, ids[:len(run)], run, func(some []input) error {
			err := post(some)
			if len(some) == 1 && taken(err, "ean") {
				delete(some[0], "ean")
				err = post(some)
			}
			if len(some) == 1 && taken(err, "sku") {
				w.clash = shopadapter.Block("%s Give the other product another SKU, or set PUBSYNC_SHOP_SKU_PREFIX", shopadapter.Explain(err).Message)
			}
			return err
		})
		if err != nil {
			return err
		}
		ids = ids[len(run):]
	}
	return nil
}
