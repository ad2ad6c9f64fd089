package woocommerce

import (
	"context"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/variation"
)

// know finds out which variations the product has, and whether more than their figures is to be
// written. They are read where the state does not tell, and where one is given its attributes: all
// are then held against what the product offers.
func (w *write) know(ctx context.Context) error {
	read := w.standing
	if w.Unclear != nil {
		read = w.readVariations // none is made
	}
	switch w.trust = w.trusted(); {
	case w.fresh, w.turned:
		w.Take(w, nil)
		w.listed = true
	case w.trust:
		w.Take(w, variation.Known(w.state.Variants))
		if (!w.stamp.Adopted || len(w.Surplus) == 0) && !w.comparesSizes() {
			break
		}
		fallthrough // whose one is stands on it alone, and so do its sizes
	default:
		if err := read(ctx); err != nil {
			return err
		}
	}
	if w.Unclear != nil && w.stamp.Adopted && !w.stamp.Done {
		return w.Unclear // it is the merchant's still
	}
	if !w.plan(false).Chooses() {
		return nil
	}
	w.Changed |= shopadapter.FieldVariants
	if w.listed {
		return nil
	}
	return read(ctx)
}

// trusted reports whether the variations that the state knows are the ones that the shop holds. A
// call that the caller did not see the end of may have written something else since. Figures are
// then written to all of them; for SKUs and options, and after a call that failed too, they are
// read.
func (w *write) trusted() bool {
	if !w.Ref.OnSale && w.stamp.Done && (w.Unsure || w.Changed.Has(shopadapter.FieldVariants)) {
		return false
	}
	if w.Ref.Revive {
		return false // which of them the merchant has switched off is to be seen
	}
	if !w.known || w.state.Unanswered != 0 || w.restored || len(w.view.Variations) != len(w.state.Variants) {
		return false
	}
	for _, s := range w.state.Variants {
		if !slices.Contains(w.view.Variations, rest.Number(s.ID)) {
			return false
		}
	}
	return true
}

// readVariations reads the variations of the product, those in the trash too where the product was
// just taken out of it.
func (w *write) readVariations(ctx context.Context) error {
	all, err := variation.Read(ctx, w.a.Client, int64(w.view.ID), "")
	if err != nil {
		return err
	}
	if w.restored {
		trashed, err := variation.Read(ctx, w.a.Client, int64(w.view.ID), "trash")
		if err != nil {
			return err
		}
		all = append(all, trashed...)
	}
	held, foreign := w.set().Sort(all, string(w.view.SKU), w.Planned)
	w.Take(w, held)
	w.listed = true
	if w.stamp.Adopted && !w.stamp.Done && len(foreign) > 0 {
		// The product would be left with choices that are gone.
		return shopadapter.Block(
			"product %s cannot be taken over: its variation #%d (SKU %q) is none of the supplier's",
			w.a.called(w.view),
			foreign[0].ID,
			w.a.Clean(string(foreign[0].SKU)),
		)
	}
	return nil
}

// standing reads the variations and, where there is something to do, waits until they stand still:
// a request whose caller is gone may still be making them. Nothing keeps the shop from making them
// twice, or from writing the old after the new.
func (w *write) standing(ctx context.Context) error {
	err := w.readVariations(ctx)
	for waits := 0; err == nil && w.mayBeMoving() && waits < w.a.patience.steps; waits++ {
		if err := step.Pause(ctx, w.a.patience.step); err != nil {
			return err
		}
		before := w.Found.Variants
		if err = w.readVariations(ctx); slices.Equal(w.Found.Variants, before) {
			break
		}
	}
	return err
}

// mayBeMoving reports whether a request of the past could still be changing what was read. Without
// a state every missing variation is suspect.
func (w *write) mayBeMoving() bool {
	other := func(h variation.Held) bool { return h.Other }
	return w.Variants.Incomplete() || slices.ContainsFunc(w.Found.Variants, other) ||
		w.state.Unanswered != 0 && !w.plan(false).Empty()
}
