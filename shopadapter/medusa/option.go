package medusa

import (
	"context"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// The option of a product with nothing to choose. Medusa sells no variant without one, and its own
// back office uses these words.
const (
	soleOption = "Default option"
	soleValue  = "Default option value"
)

func names(list []kit.Choice) (names []string) {
	for _, c := range list {
		names = append(names, c.Name)
	}
	return names
}

// follow puts the options, and the values of the planned variants, in the words that the merchant has
// given to them. Where these cannot be told, options and variants stay as they are.
func (w *write) follow(want []kit.Choice) {
	w.options = want
	if w.note.Choices = nil; len(w.p.Options) == 0 {
		return
	}
	var axes, offered []kit.Axis
	for _, c := range want {
		axes = append(axes, kit.Axis{Name: c.Name, Values: c.Values})
	}
	for _, o := range w.held.Options {
		if o.Title == soleOption || w.Own { // the options of a draft are not the merchant's to rename yet
			continue
		}
		axis := kit.Axis{Name: o.Title}
		for _, v := range o.Values {
			axis.Values = append(axis.Values, v.Value)
		}
		offered = append(offered, axis)
	}
	words := kit.Supplied(axes)
	if len(offered) > 0 {
		var err error
		if words, err = kit.Follow(axes, w.last.Choices, offered, w.carried(offered)); err != nil {
			w.note.Choices = w.last.Choices
			var all []string
			for _, c := range want {
				all = append(all, c.Name+": "+strings.Join(c.Values, ", "))
			}
			w.unclear = shopadapter.Block("the options of product %s were changed in the shop and cannot be followed: "+
				"%s. They stay as they are. Give the product one option for each of the supplier's (%s), under any "+
				"name, and each of its variants a value of its own, then retry",
				w.held.ID, w.a.wire.Clean(err.Error()), w.a.wire.Clean(strings.Join(all, "; ")))
			return
		}
	}
	w.note.Choices = kit.Remember(axes, words)
	for i := range w.planned {
		w.planned[i].Values = slices.Clone(w.planned[i].Values)
		for n, word := range words {
			w.planned[i].Values[n] = word.To[w.planned[i].Values[n]]
		}
	}
	var called []string
	for _, word := range words {
		called = append(called, word.Name)
	}
	w.options = kit.Choices(called, w.planned)
}

// carried is what the variants of the product carry of its options. One that is wanted no longer is
// not among them.
func (w *write) carried(offered []kit.Axis) (list []kit.Carried) {
	for i := range w.held.Variants {
		held := &w.held.Variants[i]
		chosen, one := held.chosen(), kit.Carried{}
		for _, axis := range offered {
			one.Has = append(one.Has, chosen[axis.Name])
		}
		if key := held.Metadata.text(mark); key != "" {
			n := slices.IndexFunc(w.planned, func(p kit.Planned) bool { return p.ID == key || kit.Key(p.ID) == key })
			if n < 0 {
				continue // it goes
			}
			one.Wants = w.planned[n].Values
		}
		list = append(list, one)
	}
	return list
}

// An optionPlan says what to do with the options of a product.
type optionPlan struct {
	add    []kit.Choice // not there yet
	keep   []kept       // there, maybe with other values
	remove []string     // ids of ours that are wanted no longer or there twice
}

type kept struct {
	kit.Choice
	held option
}

// rebuilds reports whether the set of options changes.
func (p optionPlan) rebuilds() bool { return len(p.add)+len(p.remove) > 0 }

// planOptions compares the options of the product with those that it shall have.
func (w *write) planOptions() (plan optionPlan, err error) {
	foreign, named := "", func(o option) func(kit.Choice) bool {
		return func(c kit.Choice) bool { return c.Name == o.Title }
	}
	plan.add = slices.Clone(w.options)
	for _, o := range w.held.Options {
		switch i := slices.IndexFunc(plan.add, named(o)); {
		case i >= 0:
			plan.keep = append(plan.keep, kept{plan.add[i], o})
			plan.add = slices.Delete(plan.add, i, i+1)
		case slices.ContainsFunc(w.options, named(o)), !w.complete, slices.Contains(w.last.Options, o.Title):
			plan.remove = append(plan.remove, o.ID)
		case foreign == "":
			foreign = o.Title
		}
	}
	if foreign != "" && (plan.rebuilds() || kit.Unmade(w.wanted)) {
		return plan, shopadapter.Block("the product %s has the option %q, which was added by hand: take it off the "+
			"product, since each variant needs a value of each option", w.held.ID, w.a.wire.Clean(foreign))
	}
	return plan, nil
}

// optionInputs are options as Medusa makes them. An exclusive one is not offered to other products,
// and goes with the product.
func optionInputs(list []kit.Choice) []input {
	inputs := []input{}
	for _, c := range list {
		inputs = append(inputs, input{"title": c.Name, "values": c.Values, "is_exclusive": true})
	}
	return inputs
}

// writeOptions carries the plan out, all of it in one request. The variants that stand in its way are
// gone already.
func (w *write) writeOptions(ctx context.Context, plan optionPlan) error {
	update := []input{}
	for _, k := range plan.keep {
		add, remove := []input{}, []string{}
		for _, v := range k.Values {
			if !slices.ContainsFunc(k.held.Values, func(held value) bool { return held.Value == v }) {
				add = append(add, input{"value": v})
			}
		}
		for _, held := range k.held.Values {
			if !slices.Contains(k.Values, held.Value) {
				remove = append(remove, held.ID)
			}
		}
		if len(add)+len(remove) > 0 {
			update = append(update, input{"product_option_id": k.held.ID, "add": add, "remove": remove})
		}
	}
	if !plan.rebuilds() && len(update) == 0 {
		return nil
	}
	if plan.rebuilds() {
		// Both the old and the new options are ours until the product is complete again.
		both := slices.Sorted(slices.Values(slices.Concat(w.last.Options, names(w.options))))
		w.last.Options = slices.Compact(both)
		if err := w.announce(ctx); err != nil {
			return err
		}
	}
	batch := input{"add": optionInputs(plan.add), "remove": append([]string{}, plan.remove...), "update": update}
	_, err := w.a.post(ctx, "write options", "products/"+w.held.ID+"/options/batch", query{"fields": "id"}, batch)
	return err
}
