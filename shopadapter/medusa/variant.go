package medusa

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/amount"
	"github.com/pubsync/pubsync/shopadapter/internal/each"
	"github.com/pubsync/pubsync/shopadapter/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
)

// Offers names the options. Medusa sells no variant without one.
func (w *write) Offers(context.Context) (names []string, offer skeleton.Offer, err error) {
	w.Product = w.shop.prices.Product(w.Product)
	names = w.Product.Options
	if len(names) == 0 {
		names = []string{soleOption}
	}
	return names, func(v shopadapter.Variant) ([]string, string) {
		if _, ok := amount.Parse(v.Price); !ok {
			return nil, "the price is not a decimal number"
		}
		if len(w.Product.Options) == 0 {
			return []string{soleValue}, ""
		}
		return skeleton.Values(v, names)
	}, nil
}

// Axes are the options of the product by which a visitor chooses.
func (w *write) Axes() (list []skeleton.Axis) {
	for _, o := range w.held.Options {
		if o.Title != soleOption {
			values := each.Of(o.Values, func(v value) string { return v.Value })
			list = append(list, skeleton.Axis{Name: o.Title, Values: values})
		}
	}
	return list
}

// Known is what the stamp says of the merchant's words.
func (w *write) Known() *[]skeleton.Known { return &w.note.Choices }

// Carried is what the variants carry of the options.
func (w *write) Carried(context.Context) ([]skeleton.Carried, error) {
	axes := w.Axes()
	return w.Write.Carried(w, func(held *variant) []string {
		chosen := held.chosen()
		return each.Of(axes, func(a skeleton.Axis) string { return chosen[a.Name] })
	}), nil
}

func (v *variant) chosen() map[string]string {
	chosen := map[string]string{}
	for _, o := range v.Options {
		chosen[o.Option.Title] = o.Value
	}
	return chosen
}

// Key is the mark in a variant's metadata.
func (w *write) Key(held *variant) string { return held.Metadata.text(mark) }

// ID is Medusa's id of a variant.
func (w *write) ID(held *variant) string { return held.ID }

// Fits reports whether a variant has the options and the SKU that it shall have. Medusa keeps the
// SKU a second time, in its inventory, where no later write changes it.
func (w *write) Fits(held *variant, v skeleton.Planned, structural bool) bool {
	return len(held.Inventory) > 0 &&
		(!structural || held.SKU == v.SKU && maps.Equal(held.chosen(), v.Chosen(w.Options)))
}

// PlanOptions compares the options. Where the set of them changes, Medusa asks for every variant to
// be another.
func (w *write) PlanOptions() (skeleton.Rework, error) {
	w.plan = skeleton.PlanOptions(
		w.Options,
		w.held.Options,
		func(o option) string { return o.Title },
		func(o option) bool { return !w.note.Complete() || slices.Contains(w.note.Options, o.Title) },
	)
	if len(w.plan.Foreign) > 0 && (w.plan.Rebuilds() || w.Variants.Incomplete()) {
		return skeleton.Nothing, shopadapter.Block(
			"the product %s has the option %q, which was added by hand: take it off the product, since each variant "+
				"needs a value of each option",
			w.held.ID,
			w.a.api.Clean(w.plan.Foreign[0].Title),
		)
	}
	if w.plan.Rebuilds() {
		return skeleton.Replace, nil
	}
	return skeleton.Nothing, nil
}

// Withhold makes the product a draft.
func (w *write) Withhold(ctx context.Context) error {
	w.held.Status = draft
	return w.a.withhold(ctx, w.held.ID)
}

// Delete deletes variants.
func (w *write) Delete(ctx context.Context, surplus []*variant) error {
	ids := each.Of(surplus, func(held *variant) string { return held.ID })
	_, err := w.a.api.Post(ctx, "delete variants", w.batch(), query{"fields": "id"}, input{"delete": ids})
	return err
}

// Change writes what differs of the variants that are there.
func (w *write) Change(ctx context.Context, structural bool) error {
	return w.send(ctx, "update", structural)
}

// Make makes the variants that are not there. The quantities need the ids of the inventory that
// Medusa makes with them, so the product is read again.
func (w *write) Make(ctx context.Context) error {
	if err := w.send(ctx, "create", true); err != nil {
		return err
	}
	whole, err := w.a.api.Get(ctx, "read product", "products/"+w.held.ID, query{"fields": rest.Fields[product]()})
	if err == nil {
		w.held.Options = whole.Product.Options
		w.Take(w, whole.Product.Variants)
	}
	return err
}

func (w *write) batch() string { return "products/" + w.held.ID + "/variants/batch" }

// difference is what to write to a variant, all of it where there is none.
func (w *write) difference(v skeleton.Wanted[variant], structural bool) input {
	change, held, changed := input{}, v.Held, w.Changed
	set := func(differs bool, name string, value any) {
		if differs {
			change[name] = value
		}
	}
	if held == nil {
		held, changed = &variant{}, shopadapter.AllFields
		change["options"], change["metadata"] = v.Chosen(w.Options), metadata{mark: v.ID}
		set(v.SKU != "", "sku", v.SKU)
	}
	if structural {
		title := cmp.Or(v.Title, w.Product.Title)
		set(held.Title != title, "title", title)
		set(held.Rank != v.Place, "variant_rank", v.Place)
	}
	if changed.Has(shopadapter.FieldStock) {
		set(!held.Managed, "manage_inventory", true)
		set(held.Backorders != v.Backorders, "allow_backorder", v.Backorders)
	}
	if changed.Has(shopadapter.FieldPrice) {
		prices := []price{{Currency: w.shop.currency, Amount: json.Number(v.Price)}}
		for _, p := range held.Prices {
			if !p.base(w.shop.currency) {
				prices = append(prices, p) // the merchant's
			}
		}
		own := base(held.Prices, w.shop.currency)
		set(own == nil || !amount.Same(string(own.Amount), v.Price), "prices", prices)
	}
	if !w.Figures {
		w.planDetails(v, structural, change)
	}
	return change
}

// base reports whether a price is the one that the adapter writes: that of the variant in the
// currency, without a rule and for any quantity.
func (p price) base(currency string) bool {
	return p.Currency == currency && p.Least == nil && p.Most == nil && len(p.Rules) == 0
}

// base is the price of a variant that the adapter writes, nil where there is none.
func base(prices []price, currency string) *price {
	i := slices.IndexFunc(prices, func(p price) bool { return p.base(currency) })
	if i < 0 {
		return nil
	}
	return &prices[i]
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
	for _, v := range w.Variants {
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
	return skeleton.Send(w.Refused, ids, slices.Chunk(inputs, maxBatch), func(some []input) error {
		err := post(some)
		if len(some) == 1 && taken(err, "ean") {
			delete(some[0], "ean")
			err = post(some)
		}
		if len(some) == 1 && taken(err, "sku") {
			w.Clash = shopadapter.Block(
				"%s Give the other product another SKU, or set PUBSYNC_SHOP_SKU_PREFIX",
				shopadapter.Explain(err).Message,
			)
		}
		return err
	})
}

// Stock brings the stocked quantities at the location to what is wanted. Quantities at other
// locations are the merchant's.
func (w *write) Stock(ctx context.Context) error {
	levels := map[string][]input{}
	for _, v := range w.Variants {
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
			if _, err := w.a.api.Post(
				ctx, "write quantities", "inventory-items/location-levels/batch", nil, input{verb: some},
			); err != nil {
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
func optionInputs(list []skeleton.Choice) []input {
	return each.Of(list, func(c skeleton.Choice) input {
		return input{"title": c.Name, "values": c.Values, "is_exclusive": true}
	})
}

// WriteOptions carries the plan out, all of it in one request. The variants that stand in its way are
// gone already.
func (w *write) WriteOptions(ctx context.Context) error {
	plan, update := w.plan, []input{}
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
			slices.Sorted(slices.Values(slices.Concat(w.note.Options, skeleton.Names(w.Options)))),
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
