package medusa

import (
	"context"
	"slices"
)

// The option of a product with nothing to choose. Medusa sells no variant without one, and its own back office uses these words.
const (
	soleOption = "Default option"
	soleValue  = "Default option value"
)

// A wantedOption is one choice as the product shall have it.
type wantedOption struct {
	title  string
	values []string
	held   *option // nil: not made yet
}

// input is the option as Medusa makes it. An exclusive one is not offered to other products, and goes with the product.
func (o wantedOption) input() input {
	return input{"title": o.title, "values": o.values, "is_exclusive": true}
}

func (w *write) optionTitles() (titles []string) {
	for _, o := range w.options {
		titles = append(titles, o.title)
	}
	return titles
}

// An optionPlan is what to change of a product's options, all of it in one request.
type optionPlan struct {
	add, update []input
	remove      []string
	foreign     string // title of an option that the merchant added
}

// rebuilds reports whether the set of options changes. Medusa then asks for every variant to be another.
func (p optionPlan) rebuilds() bool { return len(p.add)+len(p.remove) > 0 }

func (w *write) planOptions() optionPlan {
	plan := optionPlan{add: []input{}, update: []input{}, remove: []string{}}
	for i := range w.held.Options {
		held := &w.held.Options[i]
		j := slices.IndexFunc(w.options, func(o wantedOption) bool { return o.title == held.Title })
		switch {
		case j >= 0 && w.options[j].held == nil:
			w.options[j].held = held
		case j >= 0, !w.note.complete(), slices.Contains(w.note.Options, held.Title):
			plan.remove = append(plan.remove, held.ID)
		default:
			plan.foreign = held.Title
		}
	}
	for _, o := range w.options {
		if o.held == nil {
			plan.add = append(plan.add, o.input())
			continue
		}
		fresh, unused := []input{}, []string{}
		for _, v := range o.values {
			if !slices.ContainsFunc(o.held.Values, func(held value) bool { return held.Value == v }) {
				fresh = append(fresh, input{"value": v})
			}
		}
		for _, held := range o.held.Values {
			if !slices.Contains(o.values, held.Value) {
				unused = append(unused, held.ID)
			}
		}
		if len(fresh)+len(unused) > 0 {
			plan.update = append(plan.update, input{"product_option_id": o.held.ID, "add": fresh, "remove": unused})
		}
	}
	return plan
}

// writeOptions carries a plan out. The variants that stand in its way are gone already.
func (w *write) writeOptions(ctx context.Context, plan optionPlan) error {
	if !plan.rebuilds() && len(plan.update) == 0 {
		return nil
	}
	if plan.rebuilds() {
		// Both the old and the new options are ours until the product is complete again.
		for _, title := range w.optionTitles() {
			if !slices.Contains(w.note.Options, title) {
				w.note.Options = append(w.note.Options, title)
			}
		}
		if err := w.announce(ctx); err != nil {
			return err
		}
	}
	batch := input{"add": plan.add, "remove": plan.remove, "update": plan.update}
	_, err := w.a.post(ctx, "write options", "products/"+w.held.ID+"/options/batch", query{"fields": "id"}, batch)
	return err
}
