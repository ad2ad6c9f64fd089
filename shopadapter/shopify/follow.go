package shopify

import (
	"context"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// Axes are the options of the product as it stands, none where it has nothing to choose.
func (w *write) Axes() (list []skeleton.Axis) {
	if w.have == nil || !w.stamp.Done {
		return nil
	}
	for _, v := range w.have.Variants.Nodes {
		for i, o := range v.Options {
			if i == len(list) {
				list = append(list, skeleton.Axis{Name: o.Name})
			}
			if !slices.Contains(list[i].Values, o.Value) {
				list[i].Values = append(list[i].Values, o.Value)
			}
		}
	}
	if len(list) == 1 && list[0].Name == soleOption {
		return nil
	}
	return list
}

// Known is what options and values are called once this call has ended well.
func (w *write) Known() *[]skeleton.Known { return &w.choices }

// Carried is what the variants carry. Those without a mark are the merchant's, unless the product
// has too many to be marked.
func (w *write) Carried(context.Context) (list []skeleton.Carried, err error) {
	if w.stamp.Unmarked {
		return nil, &skeleton.Unclear{
			Why: "the product has too many variants for each to carry a mark by which it is known",
		}
	}
	axes := len(w.Axes())
	for _, v := range w.have.Variants.Nodes {
		h := skeleton.Carried{Has: make([]string, axes)}
		copy(h.Has, v.values())
		if v.Mark != nil {
			i := slices.IndexFunc(w.Planned, func(p skeleton.Planned) bool { return stamp.Key(p.ID) == v.Mark.Value })
			if i < 0 {
				continue // it goes
			}
			h.Wants = slices.Clone(w.Planned[i].Values)
		}
		list = append(list, h)
	}
	return list, nil
}

// freeze leaves options and variants as they are in the shop: prices and stock of those that are
// there are written all the same.
func (w *write) freeze() {
	if w.Unclear == nil {
		return
	}
	frozen := w.Changed.Has(shopadapter.FieldVariants)
	w.Variants = slices.DeleteFunc(w.Variants, func(v skeleton.Wanted[variant]) bool {
		fresh := w.fresh(v)
		frozen = frozen || fresh
		return fresh
	})
	if frozen {
		w.Clash = w.Unclear
	}
	w.whole, w.foreign = false, nil
}
