package woocommerce

import (
	"context"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter/skeleton"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/variation"
)

// Axes are the attributes by which the product is chosen.
func (w *write) Axes() []skeleton.Axis {
	if !w.want.variable || w.view.Type != "variable" {
		return nil
	}
	return variation.AxesOf(w.view)
}

// Known is what the state says of the merchant's words.
func (w *write) Known() *[]skeleton.Known { return &w.choices }

// Carried is what the variations carry of the attributes.
func (w *write) Carried(ctx context.Context) ([]skeleton.Carried, error) {
	all, err := variation.Read(ctx, w.a.Client, int64(w.view.ID), "")
	return variation.Carried(all, w.Axes(), w.Ref.Publication, w.Planned), err
}

// offerFirst adds new values to a global attribute before a variation carries one: the shop keeps a
// value of a variation by the term, which the product's own write makes.
func (w *write) offerFirst(ctx context.Context) error {
	if w.fresh || w.turned ||
		!slices.ContainsFunc(w.Matches, func(m skeleton.Match) bool { return m.ID != "" && len(m.New) > 0 }) {
		return nil
	}
	for n := range w.Matches {
		m := &w.Matches[n]
		if m.Order = slices.Concat(m.Order, m.New); m.ID != "" {
			m.New = nil
		}
	}
	all := variation.AttributesOf(w.view)
	for i := range all {
		all[i].Position, all[i].Visible, all[i].Variation = i, true, true
		for _, m := range w.Matches {
			if all[i].ID > 0 && all[i].ID == variation.AttributeID(m) {
				all[i].Options = m.Order
			}
		}
	}
	return w.put(
		ctx,
		map[string]any{"attributes": variation.WithMerchants(w.view, all)},
		w.stampAsWritten(),
		time.Time{},
	)
}
