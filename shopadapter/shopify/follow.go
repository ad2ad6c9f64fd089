package shopify

import (
	"errors"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	axes "github.com/pubsync/pubsync/shopadapter/internal/choice"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// follow puts options and values in the words that the merchant has given to them. Where these
// cannot be told, options and variants stay as they are.
func (w *write) follow(names []string, offers []*offer) ([]string, error) {
	want := make([]axes.Axis, len(names))
	for i, name := range names {
		want[i].Name = name
		for _, o := range offers {
			if !slices.Contains(want[i].Values, o.values[i]) {
				want[i].Values = append(want[i].Values, o.values[i])
			}
		}
	}
	matches, offered := axes.Same(want), w.heldAxes()
	if len(offered) > 0 && w.stamp.Done && !slices.Equal(names, []string{soleOption}) {
		var err error
		matches, err = axes.Follow(
			want,
			w.stamp.Choices,
			offered,
			func() ([]axes.Held, error) { return w.heldChoices(offered, offers) },
		)
		var unclear *axes.Unclear
		if errors.As(err, &unclear) {
			w.unclear = shopadapter.Block(
				"the options of product %s were changed in the shop and cannot be followed: %s. They stay as they "+
					"are. Give the product "+
					"one option for each of the supplier's (%s), under any name, and each of its variants a value of "+
					"its own, then retry",
				number(w.have.ID),
				w.a.scrub(unclear.Why),
				strings.Join(names, ", "),
			)
			return names, nil
		}
		if err != nil {
			return nil, err
		}
	}
	w.choices = axes.Remember(want, matches)
	shown := make([]string, len(names))
	for i, m := range matches {
		shown[i] = m.Name
	}
	for _, o := range offers {
		for i := range o.values {
			o.values[i] = matches[i].To[o.values[i]]
		}
	}
	return shown, nil
}

// heldAxes are the options of the product as it stands, none where it has nothing to choose.
func (w *write) heldAxes() []axes.Axis {
	if w.have == nil {
		return nil
	}
	var list []axes.Axis
	for _, v := range w.have.Variants.Nodes {
		for i, o := range v.Options {
			if i == len(list) {
				list = append(list, axes.Axis{Name: o.Name})
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

// heldChoices is what the variants carry. Those without a mark are the merchant's, unless the
// product has too many to be marked.
func (w *write) heldChoices(offered []axes.Axis, offers []*offer) ([]axes.Held, error) {
	if w.stamp.Unmarked {
		return nil, &axes.Unclear{
			Why: "the product has too many variants for each to carry a mark by which it is known",
		}
	}
	var list []axes.Held
	for _, v := range w.have.Variants.Nodes {
		h := axes.Held{Has: make([]string, len(offered))}
		copy(h.Has, v.values())
		if v.Mark != nil {
			i := slices.IndexFunc(offers, func(o *offer) bool { return stamp.Key(o.variant.ID) == v.Mark.Value })
			if i < 0 {
				continue // it goes
			}
			h.Wants = slices.Clone(offers[i].values)
		}
		list = append(list, h)
	}
	return list, nil
}

// freeze leaves options and variants as they are in the shop: prices and stock of those that are
// there are written all the same.
func (w *write) freeze() {
	if w.unclear == nil {
		return
	}
	w.frozen = w.Changed.Has(shopadapter.FieldVariants)
	w.plan.offers = slices.DeleteFunc(w.plan.offers, func(o *offer) bool {
		fresh := o.shown == nil || o.claimed
		w.frozen = w.frozen || fresh
		return fresh
	})
	w.plan.whole, w.plan.foreign = false, nil
}
