package woocommerce

import (
	"context"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/variation"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// quick reports whether a change of price and stock is written without a look first, which is one
// request. Where the answer shows that something else is amiss, the call begins again with a look.
func (w *write) quick() bool {
	return !w.looked && !w.Ref.Revive && w.view.ID == 0 && w.Ref.Listing != "" && w.known && w.state.certain() &&
		w.state.Variable == w.want.variable && w.state.Link != "" && (!w.unsure || w.Ref.OnSale) &&
		w.Changed&^(variation.Figures|shopadapter.FieldShipping) == 0 && w.Changed.Any(variation.Figures)
}

// changeBlindly writes figures, and begins again where the answer shows another listing than the
// state says.
func (w *write) changeBlindly(ctx context.Context) error {
	change := w.changeItself
	if w.want.variable {
		change = w.changeVariations
	}
	asThought, err := change(ctx)
	if err != nil || asThought {
		return err
	}
	w.looked, w.state.Done = true, false
	return errAgain
}

// changeItself writes the figures of a simple product.
func (w *write) changeItself(ctx context.Context) (asThought bool, err error) {
	v := w.Variants[0]
	got, err := w.a.Write(ctx, rest.KindWrite, w.state.ID, variation.FiguresOf(v.Variant, w.Changed))
	switch {
	case rest.Gone(err):
		return false, nil
	case err != nil:
		if rest.Uncertain(err) {
			w.state.unanswered(false)
		}
		return false, err
	case int64(got.ID) != w.state.ID, !got.OnSale(), got.Type != "simple",
		!readStamp(rest.Stamp(got.Meta)).owns(w.state.ID, w.Ref.Publication):
		return false, nil
	}
	v.Held.Wrote(v.Variant, w.Changed)
	w.state.Link = string(got.Link)
	return true, nil
}

func (w *write) changeVariations(ctx context.Context) (asThought bool, err error) {
	for batch := range w.plan(true).Batches() {
		got, err := w.batch(ctx, batch)
		if rest.Gone(err) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		for i, op := range batch.Update {
			item := got.Update[i]
			if item.Error != nil || int64(item.ID) != op.ID {
				w.known = false
				return false, nil
			}
			w.wrote(op, op.After)
			if !w.shown(string(item.Link)) {
				w.odd = string(item.Link)
			}
		}
	}
	return w.odd == "", nil
}

// shown tells by the address of a variation whether its product is on sale: it begins with the
// product's own, and that of a draft, or of a product in the trash, is another.
func (w *write) shown(link string) bool {
	prefix := words.FirstOf(w.state.Prefix, w.state.Link)
	rest, ok := strings.CutPrefix(link, prefix)
	return ok &&
		(rest == "" || strings.HasPrefix(rest, "?") || strings.HasPrefix(rest, "&") || strings.HasPrefix(rest, "/"))
}

// beforeQuery is an address without its query.
func beforeQuery(link string) string {
	before, _, _ := strings.Cut(link, "?")
	return before
}
