package woocommerce

import (
	"context"
	"maps"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/detail"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/variation"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// PlanOptions compares the product's kind, and the names of its attributes. While these change it
// is no product that anybody could buy.
func (w *write) PlanOptions() (skeleton.Rework, error) {
	if w.turned && w.stamp.Adopted && !w.want.variable {
		// Another type has no variations: WooCommerce would delete the merchant's.
		return skeleton.Nothing, shopadapter.Block(
			"product %s was your own before it was taken over, and has variations; the supplier's has a single variant "+
				"now: give yours another SKU, or delete it, to have one made beside it",
			w.a.called(w.view),
		)
	}
	held := variation.AttributesOf(w.view)
	w.gap = w.turned || !w.fresh && w.want.variable && w.Changed.Has(shopadapter.FieldVariants) &&
		!variation.Same(held, w.set().Attributes(held, w.Planned), false)
	if w.gap {
		return skeleton.Gap, nil
	}
	return skeleton.Nothing, nil
}

// Withhold leaves it to WriteOptions to make the product a draft, in the request of the options.
func (w *write) Withhold(context.Context) error { return nil }

// Delete leaves it to Change to delete variations, in one request with its own.
func (w *write) Delete(context.Context, []*variation.Held) error { return nil }

// Make has nothing left to do: Change makes variations, too.
func (w *write) Make(context.Context) error { return nil }

// WriteOptions makes the product one of the right kind, with the right attributes. It is a draft
// from then on until Sell.
func (w *write) WriteOptions(ctx context.Context) error {
	if !w.gap {
		return nil
	}
	if w.turned {
		w.state.Variants, w.known = nil, false
	}
	body := map[string]any{"status": "draft", "type": w.kind()}
	switch {
	case w.want.variable:
		body["attributes"] = variation.WithMerchants(w.view, w.set().Attributes(variation.AttributesOf(w.view), w.Planned))
		if w.turned {
			// The supplier's SKU goes over to a variation, and stock is the variations' affair.
			body["sku"], body["manage_stock"], body["regular_price"] = words.KeySKU(w.Ref.Publication), false, ""
			if w.stamp.Details.Has(detail.EAN) { // and so does its EAN
				body["global_unique_id"] = ""
			}
		}
	default:
		body["attributes"] = variation.WithMerchants(w.view, nil)
		// PHP puts it on sale before it writes a price
		maps.Copy(body, variation.FiguresOf(w.Planned[0].Variant, variation.Figures))
	}
	return w.put(ctx, body, w.stampAsWritten(), time.Time{})
}

// Change brings the variations in line: one request makes, changes and deletes up to a hundred of
// them. A simple product is its own variation, which Sell writes.
func (w *write) Change(ctx context.Context, structural bool) error {
	defer w.remember()
	switch {
	case w.blind:
		return w.changeBlindly(ctx)
	case w.Figures:
		return w.restock(ctx)
	case w.want.variable:
		sizes := w.listed && w.Changed.Has(shopadapter.FieldDetails) && w.Unclear == nil
		return w.sync(ctx, structural || sizes)
	}
	w.planFigures()
	return w.prepare(ctx)
}
