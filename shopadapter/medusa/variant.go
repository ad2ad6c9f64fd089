package medusa

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/amount"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// plan matches variants and options. Medusa sells no variant without an option. Figures tell variants apart by id.
func (w *write) plan(context.Context) error {
	names := w.p.Options
	if len(names) == 0 {
		names = []string{soleOption}
	}
	w.planned = kit.Fit(w.p, w.refused, func(v shopadapter.Variant) ([]string, string) {
		switch _, ok := amount.Parse(v.Price); {
		case !ok:
			return nil, "the price is not a decimal number"
		case w.p.Figures:
			return []string{v.ID}, ""
		case len(w.p.Options) == 0:
			return []string{soleValue}, ""
		}
		return kit.Chosen(v, names)
	})
	if len(w.planned) == 0 {
		return w.refused.None(w.p)
	}
	if !w.p.Figures {
		w.follow(kit.Choices(names, w.planned))
	}
	w.match(w.Changed.Has(shopadapter.FieldVariants))
	return nil
}

// match pairs each planned variant with the shop's if SKU and, in a structural write, options agree. No later write
// changes the SKU in Medusa's inventory. Our other variants are surplus.
func (w *write) match(structural bool) {
	key := func(held *variant) string { return held.Metadata.text(mark) }
	w.wanted, w.surplus = kit.Match(w.planned, w.held.Variants, key, func(held *variant, v kit.Planned) bool {
		return len(held.Inventory) > 0 && (!structural || held.SKU == v.SKU && maps.Equal(held.chosen(), w.chosen(v)))
	})
}

func (v *variant) chosen() map[string]string {
	chosen := map[string]string{}
	for _, o := range v.Options {
		chosen[o.Option.Title] = o.Value
	}
	return chosen
}

func (w *write) chosen(v kit.Planned) map[string]string {
	chosen := map[string]string{}
	for i, o := range w.options {
		chosen[o.Name] = v.Values[i]
	}
	return chosen
}

func (v *variant) id() string { return v.ID }

func (w *write) made() []shopadapter.ListedVariant { return kit.Made(w.wanted, (*variant).id) }

// vary writes options and variants in an order that shares no choice or SKU, and sells no product without variants.
func (w *write) vary(ctx context.Context) error {
	structural := w.Changed.Has(shopadapter.FieldVariants)
	w.match(structural)
	structural = structural || len(w.surplus) > 0 || kit.Unmade(w.wanted)
	if structural && w.unclear != nil {
		structural, w.clash = false, w.unclear
		w.match(false)
	}
	if structural {
		if err := w.restructure(ctx); err != nil {
			return err
		}
	}
	if err := w.send(ctx, "update", structural); err != nil {
		return err
	}
	if structural && kit.Unmade(w.wanted) {
		if err := w.make(ctx); err != nil {
			return err
		}
	}
	if err := w.stock(ctx); err != nil {
		return err
	}
	if len(w.made()) == 0 {
		return cmp.Or(w.clash, w.refused.None(w.p))
	}
	return nil
}

// restructure deletes variants in the way and changes the options. Medusa demands new variants for a new set.
func (w *write) restructure(ctx context.Context) error {
	options, rebuilds, err := w.planOptions()
	if err != nil {
		return err
	}
	for i, v := range w.wanted {
		if rebuilds && v.Held != nil {
			w.surplus, w.wanted[i].Held = append(w.surplus, v.Held), nil
		}
	}
	if w.onSale() && len(w.made()) == 0 {
		w.held.Status = draft
		if err := w.a.withhold(ctx, w.held.ID); err != nil {
			return err
		}
	}
	if len(w.surplus) > 0 {
		gone := input{"delete": kit.Each(w.surplus, (*variant).id)}
		if _, err := w.a.post(ctx, "delete variants", w.batch(), "id", gone); err != nil {
			return err
		}
	}
	if options != nil {
		_, err = w.a.post(ctx, "write options", "products/"+w.held.ID+"/options/batch", "id", options)
	}
	return err
}

// make reads the product again: quantities need the inventory ids that Medusa makes with the variants.
func (w *write) make(ctx context.Context) error {
	w.fresh = map[string]bool{}
	for _, v := range w.wanted {
		w.fresh[v.ID] = v.Held == nil
	}
	if err := w.send(ctx, "create", true); err != nil {
		return err
	}
	whole, err := w.a.get(ctx, "read product", "products/"+w.held.ID, query{"fields": wholeFields})
	if err == nil {
		w.held.Options, w.held.Variants = whole.Product.Options, whole.Product.Variants
		w.match(false)
	}
	return err
}

func (w *write) batch() string { return "products/" + w.held.ID + "/variants/batch" }

func (w *write) difference(v kit.Wanted[variant], structural bool) input {
	change, held, changed := input{}, v.Held, w.Changed
	set := func(differs bool, name string, value any) {
		if differs {
			change[name] = value
		}
	}
	if held == nil {
		held, changed = &variant{}, shopadapter.AllFields
		change["options"] = w.chosen(v.Planned)
		set(v.SKU != "", "sku", v.SKU)
	}
	if structural {
		title := cmp.Or(v.Title, w.p.Title)
		set(held.Title != title, "title", title)
		set(held.Rank != v.Place, "variant_rank", v.Place)
	}
	if changed.Has(shopadapter.FieldStock) {
		set(!held.Managed, "manage_inventory", true)
		set(held.Backorders != v.Backorders, "allow_backorder", v.Backorders)
	}
	if changed.Has(shopadapter.FieldPrice) {
		own, others := base(held.Prices, w.shop.currency)
		prices := append([]price{{Currency: w.shop.currency, Amount: json.Number(v.Price)}}, others...)
		set(!amount.Same(string(own.Amount), v.Price), "prices", prices)
	}
	if !w.p.Figures {
		w.planDetails(v, structural, change)
	}
	return change
}

// base returns our price, in the currency without rule or quantity, else zero; and the others, the merchant's.
func base(prices []price, currency string) (own price, others []price) {
	for _, p := range prices {
		if p.Currency == currency && p.Least == nil && p.Most == nil && len(p.Rules) == 0 {
			own = p
		} else {
			others = append(others, p)
		}
	}
	return own, others
}

// send creates missing variants or updates changed ones, by verb.
func (w *write) send(ctx context.Context, verb string, structural bool) error {
	var inputs []input
	var ids []string
	for _, v := range w.wanted {
		if (v.Held == nil) != (verb == "create") {
			continue
		}
		if change := w.difference(v, structural); len(change) > 0 {
			if v.Held != nil {
				change["id"] = v.Held.ID
			}
			inputs, ids = append(inputs, change), append(ids, v.ID)
		}
	}
	const most = 100 // variants per request
	for run := range slices.Chunk(inputs, most) {
		err := kit.Alone(run, func(some []input) error {
			_, err := w.a.post(ctx, verb+" variants", w.batch(), "id", input{verb: some})
			return err
		}, func(one input, why error) bool {
			elsewhere := taken(why, "ean") // another variant has it
			if elsewhere {
				delete(one, "ean")
			}
			return elsewhere
		}, func(i int, why error) {
			w.refused[ids[i]] = shopadapter.Explain(why).Message
			if taken(why, "sku") {
				w.clash = shopadapter.Block("%s Give the other product another SKU, or set PUBSYNC_SHOP_SKU_PREFIX",
					w.refused[ids[i]])
			}
		})
		if err != nil {
			return err
		}
		ids = ids[len(run):]
	}
	return nil
}

// stock writes the quantities at the location; others are the merchant's.
func (w *write) stock(ctx context.Context) error {
	levels := map[string][]input{}
	for _, v := range w.wanted {
		if v.Held == nil {
			continue
		}
		item, verb := v.Held.Inventory[0], "create"
		if i := slices.IndexFunc(item.Item.Levels, func(l level) bool { return l.Location == w.shop.location }); i >= 0 {
			verb = "update"
			stocked, err := item.Item.Levels[i].Stocked.Float64()
			written := w.Changed.Has(shopadapter.FieldStock) || w.fresh[v.ID]
			if !written || err == nil && stocked == float64(v.Quantity) {
				continue
			}
		}
		want := input{"inventory_item_id": item.ItemID, "location_id": w.shop.location, "stocked_quantity": v.Quantity}
		levels[verb] = append(levels[verb], want)
	}
	const batch, most = "inventory-items/location-levels/batch", 500 // per request
	for verb, list := range levels {
		for some := range slices.Chunk(list, most) {
			if _, err := w.a.post(ctx, "write quantities", batch, "", input{verb: some}); err != nil {
				return err
			}
		}
	}
	return nil
}

// Medusa sells no variant without an option; its back office uses these words.
const (
	soleOption = "Default option"
	soleValue  = "Default option value"
)

func (o option) values() []string {
	return kit.Each(o.Values, func(v value) string { return v.Value })
}

// follow renames options and values as the merchant did. Where this is unclear, options and variants stay.
func (w *write) follow(want []kit.Axis) {
	w.options = want
	if len(w.p.Options) == 0 {
		w.choices = nil
		return
	}
	var offered []kit.Axis
	for _, o := range w.held.Options {
		if o.Title != soleOption && !w.Own { // the merchant has not renamed a draft's options yet
			offered = append(offered, kit.Axis{Name: o.Title, Values: o.values()})
		}
	}
	words := kit.Supplied(want)
	if len(offered) > 0 {
		var carried []kit.Carried
		for i := range w.held.Variants {
			held := &w.held.Variants[i]
			chosen := held.chosen()
			has := kit.Each(offered, func(a kit.Axis) string { return chosen[a.Name] })
			carried = append(carried, kit.Carries(w.planned, held.Metadata.text(mark), has)...)
		}
		var err error
		if words, err = kit.Follow(want, w.note.Choices, offered, carried); err != nil {
			w.unclear = kit.Unfollowed(w.held.ID, err, want, w.a.Clean)
			return
		}
	}
	w.choices = kit.Remember(want, words)
	w.options = kit.Retell(w.planned, words)
}

// planOptions returns the request for the options, or nil. It rebuilds if some are new, unwanted, or ours twice.
func (w *write) planOptions() (batch input, rebuilds bool, err error) {
	missing, foreign, update, remove := slices.Clone(w.options), "", []input{}, []string{}
	for _, o := range w.held.Options {
		is := func(a kit.Axis) bool { return a.Name == o.Title }
		i := slices.IndexFunc(missing, is)
		switch {
		case i >= 0:
			if change := o.change(missing[i].Values); change != nil {
				update = append(update, change)
			}
			missing = slices.Delete(missing, i, i+1)
		case slices.ContainsFunc(w.options, is), !w.complete, o.Title == soleOption,
			slices.ContainsFunc(w.note.Choices, func(k kit.Known) bool { return o.Title == k.Shown }):
			remove = append(remove, o.ID)
		case foreign == "":
			foreign = o.Title
		}
	}
	rebuilds = len(missing)+len(remove) > 0
	if foreign != "" && (rebuilds || kit.Unmade(w.wanted)) {
		return nil, false, shopadapter.Block("the product %s has the option %q, which was added by hand: take it off the "+
			"product, since each variant needs a value of each option", w.held.ID, w.a.Clean(foreign))
	}
	if rebuilds || len(update) > 0 {
		batch = input{"add": optionInputs(missing), "remove": remove, "update": update}
	}
	return batch, rebuilds, nil
}

// change returns nil if the option has these values.
func (o option) change(values []string) input {
	held := o.values()
	add := slices.DeleteFunc(slices.Clone(values), func(v string) bool { return slices.Contains(held, v) })
	remove := slices.DeleteFunc(slices.Clone(o.Values), func(v value) bool { return slices.Contains(values, v.Value) })
	if len(add)+len(remove) == 0 {
		return nil
	}
	return input{
		"product_option_id": o.ID, "add": kit.Each(add, func(v string) input { return input{"value": v} }),
		"remove": kit.Each(remove, func(v value) string { return v.ID }),
	}
}

// optionInputs makes exclusive options: not offered to other products, and deleted with theirs.
func optionInputs(list []kit.Axis) []input {
	return kit.Each(list, func(a kit.Axis) input {
		return input{"title": a.Name, "values": a.Values, "is_exclusive": true}
	})
}
