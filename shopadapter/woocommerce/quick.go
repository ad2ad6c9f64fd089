package woocommerce

import (
	"context"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/delivery"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

const figures = shopadapter.FieldPrice | shopadapter.FieldStock

// quick writes a change of price and stock without looking first, which is one request. done is
// false where that cannot be, or where the answer shows that something else is amiss; then the call
// goes on in the ordinary way.
func (w *write) quick(ctx context.Context) (done bool, err error) {
	switch {
	case w.ref.Listing == "" || !w.known || !w.state.certain() || w.state.Variable != w.want.variable || w.state.Link == "",
		w.Changed&^w.quickly() != 0,
		!w.Changed.Any(figures),
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
		return figures | shopadapter.FieldShipping // of which nothing is to be written
	}
	return figures
}

// sameVariants tells whether the shop has every variant that is wanted and no other.
func (w *write) sameVariants() bool {
	if len(w.state.Variants) != len(w.want.variants) {
		return false
	}
	for _, v := range w.want.variants {
		if s, ok := w.state.Variants[v.id]; !ok || s.Price == "" || s.Stock == "" || w.want.variable && s.Rest == "" {
			return false
		}
	}
	return true
}

func (w *write) quickSimple(ctx context.Context) (bool, error) {
	v := w.want.variants[0]
	got, err := w.a.Write(ctx, rest.KindWrite, w.state.ID, w.figuresOf(v, w.Changed))
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
	s := w.state.Variants[v.id]
	w.wrote(&s, v, w.Changed)
	w.state = w.state.clone()
	w.state.Variants[v.id], w.state.Link = s, string(got.Link)
	return true, nil
}

func (w *write) quickVariations(ctx context.Context) (bool, error) {
	have := w.fromState()
	plan := w.plan(have, false)
	w.state = w.state.clone()
	for batch := range plan.batches() {
		got, err := w.batch(ctx, batch)
		if rest.Gone(err) {
			return false, nil
		}
		if err != nil {
			return true, err
		}
		for i, op := range batch.update {
			item := got.Update[i]
			if item.Error != nil || int64(item.ID) != op.id {
				w.known = false
				return false, nil
			}
			w.state.Variants[op.variant.id] = op.after
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

// figuresOf is the price and the stock of a variant, as far as they are among the groups.
func (w *write) figuresOf(v wanted, groups shopadapter.Fields) map[string]any {
	body := map[string]any{}
	if groups.Has(shopadapter.FieldPrice) {
		body["regular_price"] = v.price
	}
	if groups.Has(shopadapter.FieldStock) {
		body["manage_stock"], body["stock_quantity"], body["backorders"] = true, v.quantity, v.backorders
		// Where stock management is switched off for the whole shop this is all that counts;
		// elsewhere it follows from the quantity.
		body["stock_status"] = v.status()
	}
	return body
}

// wrote notes in a slot what was written to it.
func (w *write) wrote(s *slot, v wanted, groups shopadapter.Fields) {
	if groups.Has(shopadapter.FieldPrice) {
		s.Price = v.price
	}
	if groups.Has(shopadapter.FieldStock) {
		s.Stock = v.stock()
	}
}

// beforeQuery is an address without its query.
func beforeQuery(link string) string {
	before, _, _ := strings.Cut(link, "?")
	return before
}
