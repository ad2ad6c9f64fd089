package woocommerce

import (
	"context"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// restock writes figures alone, where the product is as a Publish left it and its variations are
// exactly those that the figures name.
func (w *write) restock(ctx context.Context) error {
	if !w.note.Done || !w.held.onSale() {
		return shopadapter.ErrWhole
	}
	w.variable = w.held.Type == "variable"
	w.options = []string{"id"}
	w.planned = kit.Fit(w.p, w.refused, func(v shopadapter.Variant) ([]string, string) {
		if !decimalPrice.MatchString(v.Price) {
			return nil, "the price is no decimal number"
		}
		return []string{v.ID}, ""
	})
	if len(w.planned) != len(w.p.Variants) || len(w.planned) == 0 {
		return shopadapter.ErrWhole
	}
	if !w.variable {
		if len(w.planned) != 1 || w.held.Type != "simple" || w.note.Variant != encodeID(w.planned[0].ID) {
			return shopadapter.ErrWhole
		}
		fields := map[string]any{}
		w.figures(fields, w.held.figures, w.planned[0].Variant, w.Changed)
		if err := w.putChanged(ctx, fields); err != nil || w.held.onSale() {
			return err
		}
		return w.overtaken()
	}
	if err := w.readVariations(ctx); err != nil {
		return err
	}
	w.match()
	if len(w.surplus) > 0 || slices.ContainsFunc(w.wanted, func(v kit.Wanted[heldVariation]) bool {
		return v.Held == nil || !v.Held.marked || v.Held.waits
	}) {
		return shopadapter.ErrWhole
	}
	var b batch
	for i, v := range w.wanted {
		o := op{place: i, id: v.Held.ID, body: map[string]any{}}
		if w.figures(o.body, v.Held.figures, v.Variant, w.Changed); len(o.body) > 0 {
			b.update = append(b.update, o)
		}
	}
	got, err := w.send(ctx, b)
	if err != nil {
		return err
	}
	for i, o := range b.update {
		fine, err := w.outcome(ctx, o, got.Update[i])
		if err != nil {
			return err
		}
		if !fine {
			return w.overtaken()
		}
	}
	return w.withhold(ctx)
}

func (w *write) overtaken() error {
	return shopadapter.Retry("product %d was changed in the shop while its figures were written", w.held.ID)
}
