package woocommerce

import (
	"context"
	"maps"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/variation"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// listVariations reads the variations of the product, those in the trash too where the product was
// just taken out of it.
func (w *write) listVariations(ctx context.Context) (variation.Held, error) {
	all, err := variation.Read(ctx, w.a.Client, int64(w.view.ID), "")
	if err != nil {
		return variation.Held{}, err
	}
	standing := len(all)
	if w.raised {
		trashed, err := variation.Read(ctx, w.a.Client, int64(w.view.ID), "trash")
		if err != nil {
			return variation.Held{}, err
		}
		all = append(all, trashed...)
	}
	h, unmarked := w.want.Sort(all, string(w.view.SKU), standing)
	if w.stamp.Adopted && !w.stamp.Done {
		return h, w.adoptable(h, unmarked)
	}
	return h, nil
}

// adoptable refuses to take over a product that has a variation the supplier does not have: it
// would be left with choices that are gone.
func (w *write) adoptable(h variation.Held, unmarked []rest.Variation) error {
	for _, v := range unmarked {
		mine := false
		for _, s := range h.Slots {
			mine = mine || s.ID == int64(v.ID)
		}
		if !mine {
			return shopadapter.Block(
				"product #%d «%s» cannot be taken over: its variation #%d (SKU %q) is none of the supplier's",
				w.view.ID,
				w.a.Clean(words.Plain(string(w.view.Name))),
				v.ID,
				w.a.Clean(string(v.SKU)),
			)
		}
	}
	return nil
}

// standing reads the variations and, where there is something to do, waits until they stand still:
// a request whose caller is gone may still be making them. Nothing keeps the shop from making them
// twice, or from writing the old after the new.
func (w *write) standing(ctx context.Context) (variation.Held, error) {
	h, err := w.listVariations(ctx)
	for waits := 0; err == nil && w.mayBeMoving(h) && waits < w.a.patience.steps; waits++ {
		if err := step.Pause(ctx, w.a.patience.step); err != nil {
			return variation.Held{}, err
		}
		before := h
		h, err = w.listVariations(ctx)
		if h.Count == before.Count && maps.Equal(h.Slots, before.Slots) {
			break
		}
	}
	return h, err
}

// mayBeMoving tells whether a request of the past could still be changing what was read. Without a
// state every missing variation is suspect.
func (w *write) mayBeMoving(h variation.Held) bool {
	return len(h.Slots) < len(w.want.Variants) || w.state.Doubt != 0 && !w.plan(h, true).Empty()
}
