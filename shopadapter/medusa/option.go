package medusa

import (
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// Medusa sells no variant without an option; its back office uses these words.
const (
	soleOption = "Default option"
	soleValue  = "Default option value"
)

func (o option) values() []string {
	return kit.Each(o.Values, func(v value) string { return v.Value })
}

// follow renames options and values as the merchant did. Where this is unclear, options and variants stay as they
// are.
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

// planOptions returns the request for the options, or nil. It rebuilds if their set changes: some are new, or ours
// are unwanted or there twice.
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
		case slices.ContainsFunc(w.options, is), !w.complete, w.note.made(o.Title):
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
