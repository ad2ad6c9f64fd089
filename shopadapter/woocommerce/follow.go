package woocommerce

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/choice"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/variation"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// follow finds the attributes by which the merchant has the product chosen now. A product that was
// never finished is not the merchant's yet. Where they cannot be told, nothing of them is written:
// prices and stock are, and the error says what the merchant is to do.
func (w *write) follow(ctx context.Context) error {
	if !w.want.variable || w.view.Type != "variable" || w.Own {
		return nil
	}
	var known []choice.Known
	if w.known {
		known = w.state.Choices
	}
	match, err := choice.Follow(
		w.want.Options,
		known,
		variation.AxesOf(w.view),
		func() ([]choice.Held, error) {
			all, err := variation.Read(ctx, w.a.Client, int64(w.view.ID), "")
			return w.want.Carried(all, variation.AxesOf(w.view)), err
		},
	)
	var unclear *choice.Unclear
	if !errors.As(err, &unclear) {
		if err == nil {
			w.want.Match = match
		}
		return err
	}
	w.unclear = w.lost(unclear)
	if !w.Changed.Has(shopadapter.FieldVariants) {
		return nil // no attribute is to be written, as far as is known
	}
	return w.figuresAlone(ctx)
}

// lost is the error of attributes that cannot be followed.
func (w *write) lost(why *choice.Unclear) *shopadapter.Error {
	var want []string
	for _, o := range w.want.Options {
		want = append(want, o.Name+": "+strings.Join(o.Values, ", "))
	}
	return shopadapter.Block(
		"the choices of product #%d «%s» were changed in the shop and cannot be followed: %s. Nothing of them is "+
			"written. Give the product "+
			"and its variations one attribute for each choice of the supplier's and one value for each of its values "+
			"(%s), under any names, then retry",
		w.view.ID,
		w.a.Clean(words.Plain(string(w.view.Name))),
		w.a.Clean(why.Why),
		w.a.Clean(strings.Join(want, "; ")),
	)
}

// figuresAlone writes prices and stock to the variations that are there, and returns why nothing
// else is written.
func (w *write) figuresAlone(ctx context.Context) error {
	if w.stamp.Adopted && !w.stamp.Done {
		return w.unclear // it is the merchant's still
	}
	have, err := w.listVariations(ctx)
	if err != nil {
		return err
	}
	var p variation.Plan
	for _, v := range w.want.Variants {
		s, there := have.Slots[v.ID]
		groups := shopadapter.NoFields
		if w.Changed.Has(shopadapter.FieldPrice) && s.Price != v.Price {
			groups |= shopadapter.FieldPrice
		}
		if w.Changed.Has(shopadapter.FieldStock) && s.Stock != v.Stock() {
			groups |= shopadapter.FieldStock
		}
		if there && groups != shopadapter.NoFields {
			p.Update = append(p.Update, w.want.OpFor(v, s, groups, w.situation()))
		}
	}
	w.state = w.state.clone()
	w.state.Variants = map[string]variation.Slot{}
	for id, s := range have.Slots {
		w.state.Variants[id] = s.Slot
	}
	if _, err := w.carryOut(ctx, p); err != nil {
		return err
	}
	return w.unclear
}

// sold tells whether the shop has a variation of a variant.
func (w *write) sold(v variation.Wanted) bool { return w.state.Variants[v.ID].ID > 0 }

// offerFirst adds new values to a global attribute before a variation carries one: the shop keeps a
// value of a variation by the term, which the product's own write makes.
func (w *write) offerFirst(ctx context.Context) error {
	if w.fresh || w.turned ||
		!slices.ContainsFunc(w.want.Match, func(m choice.Match) bool { return m.ID != "" && len(m.New) > 0 }) {
		return nil
	}
	for n := range w.want.Match {
		m := &w.want.Match[n]
		if m.Order = slices.Concat(m.Order, m.New); m.ID != "" {
			m.New = nil
		}
	}
	all := variation.AttributesOf(w.view)
	for i := range all {
		all[i].Position, all[i].Visible, all[i].Variation = i, true, true
		for _, m := range w.want.Match {
			if all[i].ID > 0 && all[i].ID == variation.AttributeID(m) {
				all[i].Options = m.Order
			}
		}
	}
	return w.put(ctx, map[string]any{"attributes": variation.WithMerchants(w.view, all)}, w.stampAsWritten(), time.Time{})
}

// rememberChoices records what the attributes are called after a write that ended well.
func (w *write) rememberChoices(err *error) {
	if *err == nil && w.unclear == nil {
		w.state.Choices = choice.Remember(w.want.Options, w.want.Match)
	}
}
