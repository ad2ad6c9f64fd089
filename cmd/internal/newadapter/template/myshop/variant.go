package myshop

import (
	"maps"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// A variant is one as the shop's API has it.
type variant struct {
	ID         string            `json:"id,omitempty"`
	Reference  string            `json:"reference,omitempty"` // the marketplace's id of it
	SKU        string            `json:"sku"`
	Options    map[string]string `json:"options,omitempty"`
	Price      string            `json:"price"`
	Stock      int               `json:"stock"`
	Backorders bool              `json:"backorders"`
}

// plan says which variants the shop shall have. Refuse here what your shop cannot sell, and bring
// prices to the form in which it takes them.
func (w *write) plan() {
	planned := kit.Fit(w.p, w.refused, func(v shopadapter.Variant) ([]string, string) {
		switch {
		case v.Price == "0.00":
			return nil, "nothing is free in the toy shop"
		case w.p.Figures:
			return []string{v.ID}, ""
		}
		return kit.Chosen(v, w.p.Options)
	})
	key := func(held *variant) string { return held.Reference }
	fits := func(*variant, kit.Planned) bool { return true } // each can become any other
	w.wanted, w.surplus = kit.Match(planned, w.held.Variants, key, fits)
}

// planVariants says what the variants are to be, where one differs. The toy shop deletes those that
// the list leaves out, so the merchant's own are in it.
func (w *write) planVariants() {
	differ, list := len(w.surplus) > 0, []variant{}
	structural := differ || kit.Unmade(w.wanted) || w.Changed.Has(shopadapter.FieldVariants)
	for _, v := range w.wanted {
		next, changed := variant{Reference: v.ID}, shopadapter.AllFields
		if v.Held != nil {
			next, changed = *v.Held, w.Changed
		}
		if structural && !w.p.Figures {
			next.SKU, next.Options = v.SKU, map[string]string{}
			for i, name := range w.p.Options {
				next.Options[name] = v.Values[i]
			}
		}
		if changed.Has(shopadapter.FieldPrice) {
			next.Price = v.Price
		}
		if changed.Has(shopadapter.FieldStock) {
			next.Stock, next.Backorders = v.Quantity, v.Backorders
		}
		differ = differ || v.Held == nil || !next.equal(*v.Held)
		list = append(list, next)
	}
	for _, own := range w.held.Variants {
		if own.Reference == "" {
			list = append(list, own)
		}
	}
	if differ {
		w.send["variants"] = list
	}
}

func (v variant) equal(other variant) bool {
	return v.ID == other.ID && v.SKU == other.SKU && v.Price == other.Price && v.Stock == other.Stock &&
		v.Backorders == other.Backorders && maps.Equal(v.Options, other.Options)
}
