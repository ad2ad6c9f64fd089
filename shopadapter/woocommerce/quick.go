package woocommerce

import (
	"context"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/delivery"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/variation"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// quick writes a change of price and stock without looking first, which is one request. done is
// false where that cannot be, or where the answer shows that something else is amiss; then the call
// goes on in the ordinary way.
func (w *write) quick(ctx context.Context) (done bool, err error) {
	switch {
	case w.ref.Listing == "" || !w.known || !w.state.certain() || w.state.Variable != w.want.variable ||
		w.state.Link == "",
		w.Changed&^w.quickly() != 0,
		!w.Changed.Any(variation.Figures),
		!w.sameVariants(),
		w.Unsure && !w.ref.OnSale:
		return false, nil
	case w.want.variable:
		return w.quickVariations(ctx)
	}
	return w.quickSimple(ctx)
}

// quickly is the groups that a quick write sees to.
func (w *write) quickly() shopadapter.Fields {
	if w.ref.OnSale && delivery.Digest(w.from, w.a.delivery) == w.state.Delivery {
		return variation.Figures | shopadapter.FieldShipping // of which nothing is to be written
	}
	return variation.Figures
}

// sameVariants tells whether the shop has every variant that is wanted and no other.
func (w *write) sameVariants() bool {
	if len(w.state.Variants) != len(w.want.Variants) {
		return false
	}
	for _, v := range w.want.Variants {
		if s, ok := w.state.Variants[v.ID]; !ok || s.Price == "" || s.Stock == "" || w.want.variable && s.Rest == "" {
			return false
		}
	}
	return true
}

func (w *write) quickSimple(ctx context.Context) (bool, error) {
	v := w.want.Variants[0]
	got, err := w.a.Write(ctx, rest.KindWrite, w.state.ID, v.Figures(w.Changed))
	switch {
	case rest.Gone(err):
		return false, nil
	case err != nil:
		if rest.InDoubt(err) {
			w.state.doubt(false)
		}
		return true, err
	case int64(got.ID) != w.state.ID, got.Status != "publish", got.Type != "simple",
		!readStamp(rest.Stamp(got.Meta)).owns(w.state.ID, w.ref.Publication):
		return false, nil
	}
	s := w.state.Variants[v.ID]
	s.Note(v, w.Changed)
	w.state = w.state.clone()
	w.state.Variants[v.ID], w.state.Link = s, string(got.Link)
	return true, nil
}

func (w *write) quickVariations(ctx context.Context) (bool, error) {
	have := w.want.Known(w.state.Variants)
	plan := w.plan(have, false)
	w.state = w.state.clone()
	for batch := range plan.Batches() {
		got, err := w.batch(ctx, batch)
		if rest.Gone(err) {
			return false, nil
		}
		if err != nil {
			return true, err
		}
		for i, op := range batch.Update {
			item := got.Update[i]
			if item.Error != nil || int64(item.ID) != op.ID {
				w.known = false
				return false, nil
			}
			w.state.Variants[op.Wanted.ID] = op.After
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
