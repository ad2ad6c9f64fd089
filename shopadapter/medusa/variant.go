package medusa

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/amount"
	"github.com/pubsync/pubsync/shopadapter/internal/choice"
	"github.com/pubsync/pubsync/shopadapter/internal/each"
	"github.com/pubsync/pubsync/shopadapter/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/internal/variants"
)

// planVariants says which variants the shop shall have, with which options. One that cannot be is
// refused at once.
func (w *write) planVariants(context.Context) error {
	titles := w.product.Options
	if len(titles) == 0 {
		titles = []string{soleOption}
	}
	w.planned = variants.Plan(w.product, w.refused, func(v shopadapter.Variant) ([]string, string) {
		if _, ok := amount.Parse(v.Price); !ok {
			return nil, "the price is not a decimal number"
		}
		if len(w.product.Options) == 0 {
			return []string{soleValue}, ""
		}
		return variants.Values(v, titles)
	})
	w.options = variants.Choices(titles, w.planned)
	if len(w.planned) == 0 {
		return w.refused.None(w.product)
	}
	return w.follow()
}

// follow puts options and values in the words that the merchant has given to them. Where these
// cannot be told, options and variants stay as they are.
func (w *write) follow() error {
	if len(w.product.Options) == 0 {
		w.note.Choices = nil
		return nil
	}
	var offered []choice.Axis
	for _, o := range w.held.Options {
		if o.Title != soleOption {
			offered = append(
				offered,
				choice.Axis{Name: o.Title, Values: each.Of(o.Values, func(v value) string { return v.Value })},
			)
		}
	}
	if w.held.ID == "" || w.Own || len(offered) == 0 {
		offered, w.note.Choices = nil, nil // the options are not the merchant's to rename yet
	}
	err := variants.Follow(&w.options, w.planned, &w.note.Choices, offered, func() ([]choice.Held, error) {
		var list []choice.Held
		for _, held := range w.held.Variants {
			h := choice.Held{Has: make([]string, len(offered))}
			for _, o := range held.Options {
				if n := slices.IndexFunc(offered, func(a choice.Axis) bool { return a.Name == o.Option.Title }); n >= 0 {
					h.Has[n] = o.Value
				}
			}
			id := held.Metadata.text(mark)
			if i := slices.IndexFunc(w.planned, func(v variants.Planned) bool { return v.ID == id }); i >= 0 {
				h.Wants = w.planned[i].Values
			} else if id != "" {
				continue // it goes
			}
			list = append(list, h)
		}
		return list, nil
	})
	var unclear *choice.Unclear
	if errors.As(err, &unclear) {
		w.unclear = shopadapter.Block(
			"the options of product %s were changed in the shop and cannot be followed: %s. They stay as they are. "+
				"Give the product one "+
				"option for each of the supplier's (%s), under any name, and each of its variants a value of its "+
				"own, then retry",
			w.held.ID,
			w.a.api.Clean(unclear.Why),
			strings.Join(w.product.Options, ", "),
		)
		return nil
	}
	return err
}

// match finds the planned variants among those of the product. It returns the ids of ours that must
// go: those that are wanted no longer, are there twice, have no inventory, or do not fit.
func (w *write) match(fits func(*variant, variants.Planned) bool) (vanished []string) {
	var surplus []*variant
	id := func(held *variant) string { return held.Metadata.text(mark) }
	w.variants, surplus = variants.Match(w.planned, w.held.Variants, id, func(held *variant, v variants.Planned) bool {
		return len(held.Inventory) > 0 && fits(held, v)
	})
	return each.Of(surplus, func(held *variant) string { return held.ID })
}

// fits reports whether a variant has the options and the SKU that it shall have, where these are to
// be written.
func (w *write) fits(held *variant, v variants.Planned) bool {
	choice := map[string]string{}
	for _, o := range held.Options {
		choice[o.Option.Title] = o.Value
	}
	return !w.Changed.Has(shopadapter.FieldVariants) || held.SKU == v.SKU && maps.Equal(choice, v.Chosen(w.options))
}

// sold is the shop's id of each variant that it has.
func (w *write) sold() map[string]string {
	return w.variants.Made(func(held *variant) string { return held.ID })
}

// writeVariants brings options, variants and quantities to what is wanted.
func (w *write) writeVariants(ctx context.Context) error {
	vanished := w.match(w.fits)
	structural := w.Changed.Has(shopadapter.FieldVariants) || len(vanished) > 0 || w.variants.Incomplete()
	if structural && w.unclear != nil {
		structural, w.clash = false, w.unclear // prices and stock are written all the same
		w.match(func(*variant, variants.Planned) bool { return true })
	}
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
	if len(w.sold()) == 0 {
		return cmp.Or(w.clash, w.refused.None(w.product))
	}
	return nil
}

// writeStructure changes options, deletes variants and makes others. A product that is left without
// a variant meanwhile is taken out of sale.
func (w *write) writeStructure(ctx context.Context, vanished []string) error {
	plan := w.planOptions() // where the set of options changes, Medusa asks for every variant to be another
	if plan.Rebuilds() {
		vanished = w.match(func(*variant, variants.Planned) bool { return false })
	}
	if len(plan.Foreign) > 0 && w.variants.Incomplete() {
		return shopadapter.Block(
			"the product %s has the option %q, which was added by hand: take it off the product, since each variant "+
				"needs a value "+
				"of each option",
			w.held.ID,
			w.a.api.Clean(plan.Foreign[0].Title),
		)
	}
	if w.held.Status == published && len(w.sold()) == 0 {
		if err := w.a.withhold(ctx, w.held.ID); err != nil {
			return err
		}
		w.held.Status = draft
	}
	if len(vanished) > 0 {
		if _, err := w.a.api.Post(ctx, "delete variants", w.batch(), query{"fields": "id"}, input{"delete": vanished}); err != nil {
			return err
		}
	}
	if err := w.writeOptions(ctx, plan); err != nil || !w.variants.Incomplete() {
		return err
	}
	if err := w.send(ctx, "create", true); err != nil {
		return err
	}
	// The quantities need the ids of the inventory that Medusa has made.
	whole, err := w.a.api.Get(ctx, "read product", "products/"+w.held.ID, query{"fields": rest.Fields[product]()})
	if err == nil {
		w.held.Variants, w.held.Options = whole.Product.Variants, whole.Product.Options
		w.match(func(*variant, variants.Planned) bool { return true })
	}
	return err
}

func (w *write) batch() string { return "products/" + w.held.ID + "/variants/batch" }

// difference is what to write to a variant, all of it where there is none.
func (w *write) difference(v variants.Wanted[variant], structural bool) input {
	change, held, changed := input{}, v.Held, w.Changed
	set := func(differs bool, name string, value any) {
		if differs {
			change[name] = value
		}
	}
	if held == nil {
		held, changed = &variant{}, shopadapter.AllFields
		change["options"], change["metadata"] = v.Chosen(w.options), metadata{mark: v.ID}
		set(v.SKU != "", "sku", v.SKU)
	}
	if structural {
		title := cmp.Or(v.Title, w.product.Title)
		set(held.Title != title, "title", title)
		set(v.EAN != "" && held.EAN != v.EAN, "ean", v.EAN)
		set(held.Rank != v.Place, "variant_rank", v.Place)
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
				same = amount.Same(string(p.Amount), v.Price)
			}
		}
		set(!same, "prices", prices)
	}
	return change
}

const (
	maxBatch  = 100 // variants that one request makes or changes
	maxLevels = 500 // quantities that one request writes
)

// send makes the variants that are missing, or changes those that differ: verb is create or update.
// An EAN that another variant has is left out.
func (w *write) send(ctx context.Context, verb string, structural bool) error {
	var inputs []input
	var ids []string
	for _, v := range w.variants {
		if v.Unmade() != (verb == "create") || w.fresh[v.ID] {
			continue
		}
		if change := w.difference(v, structural); len(change) > 0 {
			if w.fresh[v.ID] = v.Unmade(); !v.Unmade() {
				change["id"] = v.Held.ID
			}
			inputs, ids = append(inputs, change), append(ids, v.ID)
		}
	}
	post := func(some []input) error {
		_, err := w.a.api.Post(ctx, verb+" variants", w.batch(), query{"fields": "id"}, input{verb: some})
		return err
	}
	return variants.Send(w.refused, ids, slices.Chunk(inputs, maxBatch), func(some []input) error {
		err := post(some)
		if len(some) == 1 && taken(err, "ean") {
			delete(some[0], "ean")
			err = post(some)
		}
		if len(some) == 1 && taken(err, "sku") {
			w.clash = shopadapter.Block(
				"%s Give the other product another SKU, or set PUBSYNC_SHOP_SKU_PREFIX",
				shopadapter.Explain(err).Message,
			)
		}
		return err
	})
}

// writeStock brings the stocked quantities at the location to what is wanted. Quantities at other
// locations are the merchant's.
func (w *write) writeStock(ctx context.Context) error {
	levels := map[string][]input{}
	for _, v := range w.variants {
		if v.Unmade() {
			continue
		}
		item, verb := v.Held.Inventory[0], "create"
		if i := slices.IndexFunc(item.Item.Levels, func(l level) bool { return l.Location == w.shop.location }); i >= 0 {
			verb = "update"
			stocked, err := item.Item.Levels[i].Stocked.Float64()
			if !w.fresh[v.ID] && !w.Changed.Has(shopadapter.FieldStock) ||
				err == nil && stocked == float64(v.Quantity) {
				continue
			}
		}
		want := input{"inventory_item_id": item.ItemID, "location_id": w.shop.location, "stocked_quantity": v.Quantity}
		levels[verb] = append(levels[verb], want)
	}
	for verb, list := range levels {
		for some := range slices.Chunk(list, maxLevels) {
			if _, err := w.a.api.Post(ctx, "write quantities", "inventory-items/location-levels/batch", nil, input{verb: some}); err != nil {
				return err
			}
		}
	}
	return nil
}

// The option of a product with nothing to choose. Medusa sells no variant without one, and its own
// back office uses these words.
const (
	soleOption = "Default option"
	soleValue  = "Default option value"
)

// optionInputs are options as Medusa makes them. An exclusive one is not offered to other products,
// and goes with the product.
func optionInputs(list []variants.Choice) []input {
	return each.Of(list, func(c variants.Choice) input {
		return input{"title": c.Name, "values": c.Values, "is_exclusive": true}
	})
}

func (w *write) planOptions() variants.OptionPlan[option] {
	return variants.PlanOptions(
		w.options,
		w.held.Options,
		func(o option) string { return o.Title },
		func(o option) bool {
			return !w.note.complete() || slices.Contains(w.note.Options, o.Title)
		},
	)
}

// writeOptions carries a plan out, all of it in one request. The variants that stand in its way are
// gone already.
func (w *write) writeOptions(ctx context.Context, plan variants.OptionPlan[option]) error {
	update := []input{}
	for _, kept := range plan.Keep {
		held := each.Of(kept.Held.Values, func(v value) string { return v.Value })
		fresh := slices.DeleteFunc(slices.Clone(kept.Values), func(v string) bool { return slices.Contains(held, v) })
		unused := slices.DeleteFunc(
			slices.Clone(kept.Held.Values),
			func(v value) bool { return slices.Contains(kept.Values, v.Value) },
		)
		if len(fresh)+len(unused) > 0 {
			add := each.Of(fresh, func(v string) input { return input{"value": v} })
			remove := each.Of(unused, func(v value) string { return v.ID })
			update = append(update, input{"product_option_id": kept.Held.ID, "add": add, "remove": remove})
		}
	}
	if !plan.Rebuilds() && len(update) == 0 {
		return nil
	}
	if plan.Rebuilds() {
		// Both the old and the new options are ours until the product is complete again.
		w.note.Options = slices.Compact(
			slices.Sorted(slices.Values(slices.Concat(w.note.Options, variants.Names(w.options)))),
		)
		if err := w.announce(ctx); err != nil {
			return err
		}
	}
	remove := each.Of(plan.Remove, func(o option) string { return o.ID })
	batch := input{"add": optionInputs(plan.Add), "remove": remove, "update": update}
	_, err := w.a.api.Post(ctx, "write options", "products/"+w.held.ID+"/options/batch", query{"fields": "id"}, batch)
	return err
}
