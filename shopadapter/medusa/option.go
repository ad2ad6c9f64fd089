package medusa

import (
	"context"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// The option of a product with nothing to choose. Medusa sells no variant without one, and its own
// back office uses these words.
const (
	soleOption = "Default option"
	soleValue  = "Default option value"
)

func names(list []kit.Axis) []string {
	return kit.Each(list, func(a kit.Axis) string { return a.Name })
}

func (o option) values() []string {
	return kit.Each(o.Values, func(v value) string { return v.Value })
}

// follow puts the options, and the values of the planned variants, in the words that the merchant has
// given to them. Where these cannot be told, options and variants stay as they are.
func (w *write) follow(want []kit.Axis) {
	w.options = want
	if len(w.p.Options) == 0 {
		w.choices = nil
		return
	}
	var offered []kit.Axis
	for _, o := range w.held.Options {
		if o.Title != soleOption && !w.Own { // the options of a draft are not the merchant's to rename yet
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
			w.unclear = kit.Unfollowed(w.held.ID, err, want, w.a.wire.Clean)
			return
		}
	}
	w.choices = kit.Remember(want, words)
	w.options = kit.Retell(w.planned, words)
}

// An optionPlan is the request that brings the options of a product to what is wanted.
type optionPlan struct {
	add, update []input
	remove      []string // ids of ours that are wanted no longer or there twice
}

// rebuilds reports whether the set of options changes.
func (p optionPlan) rebuilds() bool { return len(p.add)+len(p.remove) > 0 }

// planOptions compares the options of the product with those that it shall have.
func (w *write) planOptions() (optionPlan, error) {
	plan, missing, foreign := optionPlan{update: []input{}, remove: []string{}}, slices.Clone(w.options), ""
	for _, o := range w.held.Options {
		i := slices.IndexFunc(missing, func(a kit.Axis) bool { return a.Name == o.Title })
		switch {
		case i >= 0:
			plan.update = append(plan.update, o.change(missing[i].Values)...)
			missing = slices.Delete(missing, i, i+1)
		case slices.Contains(names(w.options), o.Title), !w.complete, w.note.made(o.Title):
			plan.remove = append(plan.remove, o.ID)
		case foreign == "":
			foreign = o.Title
		}
	}
	plan.add = optionInputs(missing)
	if foreign != "" && (plan.rebuilds() || kit.Unmade(w.wanted)) {
		return plan, shopadapter.Block("the product %s has the option %q, which was added by hand: take it off the "+
			"product, since each variant needs a value of each option", w.held.ID, w.a.wire.Clean(foreign))
	}
	return plan, nil
}

// change is what to write to an option for it to have these values, none where it has.
func (o option) change(values []string) []input {
	add, remove, held := []input{}, []string{}, o.values()
	for _, v := range values {
		if !slices.Contains(held, v) {
			add = append(add, input{"value": v})
		}
	}
	for _, v := range o.Values {
		if !slices.Contains(values, v.Value) {
			remove = append(remove, v.ID)
		}
	}
	if len(add)+len(remove) == 0 {
		return nil
	}
	return []input{{"product_option_id": o.ID, "add": add, "remove": remove}}
}

// optionInputs are options as Medusa makes them. An exclusive one is not offered to other products,
// and goes with the product.
func optionInputs(list []kit.Axis) []input {
	return kit.Each(list, func(a kit.Axis) input {
		return input{"title": a.Name, "values": a.Values, "is_exclusive": true}
	})
}

// writeOptions carries the plan out. The variants that stand in its way are gone already.
func (w *write) writeOptions(ctx context.Context, plan optionPlan) error {
	if !plan.rebuilds() && len(plan.update) == 0 {
		return nil
	}
	batch := input{"add": plan.add, "remove": plan.remove, "update": plan.update}
	_, err := w.a.post(ctx, "write options", "products/"+w.held.ID+"/options/batch", query{"fields": "id"}, batch)
	return err
}
