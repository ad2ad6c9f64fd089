package myshop

import (
	"context"
	"maps"
	"net/http"
	"net/url"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
)

// A variant is one as the shop's API has it.
type variant struct {
	ID         string            `json:"id"`
	Reference  string            `json:"reference"` // the marketplace's id of it
	SKU        string            `json:"sku"`
	Options    map[string]string `json:"options"`
	Price      string            `json:"price"`
	Stock      int               `json:"stock"`
	Backorders bool              `json:"backorders"`
}

// Offers names the options of the product, and what a variant has for each. Bring prices here to
// the form in which your shop accepts them.
func (w *write) Offers(context.Context) (names []string, offer skeleton.Offer, err error) {
	names = w.Product.Options
	return names, func(v shopadapter.Variant) ([]string, string) { return skeleton.Values(v, names) }, nil
}

// Key is the mark of a variant: the marketplace's id.
func (w *write) Key(held *variant) string { return held.Reference }

// ID is the shop's id of a variant.
func (w *write) ID(held *variant) string { return held.ID }

// Fits is true of all: a variant of the toy shop can become any other.
func (w *write) Fits(*variant, skeleton.Planned, bool) bool { return true }

// PlanOptions finds nothing in the way: the toy shop keeps options with the variants alone.
func (w *write) PlanOptions() (skeleton.Rework, error) { return skeleton.Nothing, nil }

// WriteOptions has nothing to write.
func (w *write) WriteOptions(context.Context) error { return nil }

// Delete deletes variants.
func (w *write) Delete(ctx context.Context, surplus []*variant) error {
	for _, held := range surplus {
		if err := w.a.call(ctx, http.MethodDelete, w.variantPath(held), nil, nil); err != nil {
			return err
		}
	}
	return nil
}

// Change writes what differs of the variants that are there, each in a request of its own: the toy
// shop accepts no batch.
func (w *write) Change(ctx context.Context, structural bool) error {
	for i := range w.Variants {
		v := &w.Variants[i]
		if v.Unmade() {
			continue
		}
		send := w.difference(*v, structural)
		if len(send) == 0 {
			continue
		}
		err := w.a.call(ctx, http.MethodPatch, w.variantPath(v.Held), send, nil)
		if err := w.Refused.Take(v.ID, err); err != nil {
			return err
		}
		if w.Refused[v.ID] == "" || w.Figures {
			continue
		}
		// What the shop refuses is not sold as it was before.
		if err := w.Delete(ctx, []*variant{v.Held}); err != nil {
			return err
		}
		v.Held = nil
	}
	return nil
}

// Make makes the variants that are missing, each with its mark.
func (w *write) Make(ctx context.Context) error {
	for i := range w.Variants {
		v := &w.Variants[i]
		if !v.Unmade() || w.Refused[v.ID] != "" {
			continue
		}
		made := &variant{}
		err := w.a.call(ctx, http.MethodPost, w.path()+"/variants", w.difference(*v, true), made)
		if err := w.Refused.Take(v.ID, err); err != nil {
			return err
		}
		if made.ID != "" {
			v.Held = made
		}
	}
	return nil
}

// difference is what to write of a variant: all of it where there is none, its price and stock
// alone where the structure stays.
func (w *write) difference(v skeleton.Wanted[variant], structural bool) map[string]any {
	send, held, changed := map[string]any{}, v.Held, w.Changed
	if held == nil {
		held, changed = &variant{}, shopadapter.AllFields
		send["reference"] = v.ID
	}
	set := func(differs bool, name string, value any) {
		if differs {
			send[name] = value
		}
	}
	if structural {
		chosen := v.Chosen(w.Options)
		set(held.SKU != v.SKU, "sku", v.SKU)
		set(!maps.Equal(held.Options, chosen), "options", chosen)
	}
	if changed.Has(shopadapter.FieldPrice) {
		set(held.Price != v.Price, "price", v.Price)
	}
	if changed.Has(shopadapter.FieldStock) {
		set(held.Stock != v.Quantity, "stock", v.Quantity)
		set(held.Backorders != v.Backorders, "backorders", v.Backorders)
	}
	return send
}

func (w *write) variantPath(held *variant) string {
	return w.path() + "/variants/" + url.PathEscape(held.ID)
}
