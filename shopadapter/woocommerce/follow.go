package woocommerce

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/choice"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// An offer is an attribute of a product as the API takes it.
type offer struct {
	ID        int64    `json:"id,omitempty"`   // of a global attribute
	Name      string   `json:"name,omitempty"` // of an attribute of the product's own
	Position  int      `json:"position"`
	Visible   bool     `json:"visible"`
	Variation bool     `json:"variation"`
	Options   []string `json:"options"`
}

// A pick is an attribute of a variation as the API takes it.
type pick struct {
	ID     int64  `json:"id,omitempty"`
	Name   string `json:"name,omitempty"`
	Option string `json:"option"`
}

// follow finds the attributes by which the merchant has the product chosen now. A product that was
// never finished is not the merchant's yet. Where they cannot be told, nothing of them is written:
// prices and stock are, and the error says what the merchant is to do.
func (w *write) follow(ctx context.Context) error {
	if !w.want.variable || w.view.Type != "variable" || w.Own {
		return nil
	}
	var known []choice.Known
	if w.known {
		known = w.state.Choices
	}
	match, err := choice.Follow(
		w.want.options,
		known,
		w.heldAxes(),
		func() ([]choice.Held, error) { return w.heldChoices(ctx) },
	)
	var unclear *choice.Unclear
	if !errors.As(err, &unclear) {
		if err == nil {
			w.match = match
		}
		return err
	}
	w.unclear = w.lost(unclear)
	if !w.Changed.Has(shopadapter.FieldVariants) {
		return nil // no attribute is to be written, as far as is known
	}
	return w.figuresAlone(ctx)
}

// lost is the error of attributes that cannot be followed.
func (w *write) lost(why *choice.Unclear) *shopadapter.Error {
	var want []string
	for _, o := range w.want.options {
		want = append(want, o.Name+": "+strings.Join(o.Values, ", "))
	}
	return shopadapter.Block(
		"the choices of product #%d «%s» were changed in the shop and cannot be followed: %s. Nothing of them is "+
			"written. Give the product "+
			"and its variations one attribute for each choice of the supplier's and one value for each of its values "+
			"(%s), under any names, then retry",
		w.view.ID,
		w.a.Clean(words.Plain(string(w.view.Name))),
		w.a.Clean(why.Why),
		w.a.Clean(strings.Join(want, "; ")),
	)
}

// figuresAlone writes prices and stock to the variations that are there, and returns why nothing
// else is written.
func (w *write) figuresAlone(ctx context.Context) error {
	if w.stamp.Adopted && !w.stamp.Done {
		return w.unclear // it is the merchant's still
	}
	have, err := w.listVariations(ctx)
	if err != nil {
		return err
	}
	var p plan
	for _, v := range w.want.variants {
		s, there := have.slots[v.id]
		groups := shopadapter.NoFields
		if w.Changed.Has(shopadapter.FieldPrice) && s.Price != v.price {
			groups |= shopadapter.FieldPrice
		}
		if w.Changed.Has(shopadapter.FieldStock) && s.Stock != v.stock() {
			groups |= shopadapter.FieldStock
		}
		if there && groups != shopadapter.NoFields {
			p.update = append(p.update, w.opFor(v, s, groups))
		}
	}
	w.state = w.state.clone()
	w.state.Variants = map[string]slot{}
	for id, s := range have.slots {
		w.state.Variants[id] = s.slot
	}
	if _, err := w.carryOut(ctx, p); err != nil {
		return err
	}
	return w.unclear
}

// heldAxes are the attributes by which the product is chosen.
func (w *write) heldAxes() []choice.Axis {
	var list []choice.Axis
	for _, a := range w.view.Attributes {
		if !a.Variation {
			continue
		}
		axis := choice.Axis{ID: globalID(a), Name: words.Plain(string(a.Name))}
		for _, option := range a.Options {
			axis.Values = append(axis.Values, words.Plain(string(option)))
		}
		list = append(list, axis)
	}
	return list
}

// globalID is the id of a global attribute, "" of one of the product's own.
func globalID(a rest.Attribute) string {
	if a.ID == 0 {
		return ""
	}
	return strconv.FormatInt(int64(a.ID), 10)
}

// heldChoices reads what the variations carry of the attributes that the product offers.
func (w *write) heldChoices(ctx context.Context) ([]choice.Held, error) {
	all, err := w.readVariations(ctx, "")
	if err != nil {
		return nil, err
	}
	axes := w.heldAxes()
	var list []choice.Held
	for _, v := range all {
		h := choice.Held{Has: make([]string, len(axes))}
		for _, a := range v.Attributes {
			n := slices.IndexFunc(axes, func(x choice.Axis) bool {
				return x.ID == globalID(a) && (a.ID > 0 || words.Fold(x.Name) == words.Fold(words.Plain(string(a.Name))))
			})
			if n >= 0 {
				h.Has[n] = words.Plain(string(a.Option))
			}
		}
		id, _, ours := readVariantStamp(rest.Stamp(v.Meta), w.ref.Publication)
		i := slices.IndexFunc(w.want.variants, func(want wanted) bool {
			return ours && want.id == id || (!ours || !w.wants(id)) && words.SameSKU(want.sku, string(v.SKU))
		})
		switch {
		case i >= 0:
			h.Wants = w.want.variants[i].options
		case ours:
			continue // it goes
		}
		list = append(list, h)
	}
	return list, nil
}

func (w *write) wants(id string) bool {
	return slices.ContainsFunc(w.want.variants, func(v wanted) bool { return v.id == id })
}

// offers are the attributes to choose by as the product shall have them. Where sold is set they
// hold the values of the variants for which it is true: one that leads nowhere is a trap for a
// customer.
func (w *write) offers(sold func(wanted) bool) []offer {
	all := make([]offer, 0, len(w.want.options))
	for n, axis := range w.want.options {
		m := w.match[n]
		var values []string
		for _, value := range axis.Values {
			if sold == nil ||
				slices.ContainsFunc(w.want.variants, func(v wanted) bool { return v.options[n] == value && sold(v) }) {
				values = append(values, m.To[value])
			}
		}
		o := offer{ID: attributeID(m), Visible: true, Variation: true, Options: append([]string{}, m.Offer(values)...)}
		if o.ID == 0 {
			o.Name = m.Name
		}
		all = append(all, o)
	}
	held := w.heldOffers() // the merchant's order stays
	place := func(o offer) int {
		if n := slices.IndexFunc(held, func(h offer) bool { return h.ID == o.ID && h.Name == words.Plain(o.Name) }); n >= 0 {
			return n
		}
		return len(held)
	}
	slices.SortStableFunc(all, func(a, b offer) int { return place(a) - place(b) })
	for n := range all {
		all[n].Position = n
	}
	return all
}

// sold tells whether the shop has a variation of a variant.
func (w *write) sold(v wanted) bool { return w.state.Variants[v.id].ID > 0 }

func attributeID(m choice.Match) int64 {
	id, err := strconv.ParseInt(m.ID, 10, 64)
	if err != nil {
		return 0
	}
	return id
}

// picked is the attributes of a variant's variation, as the shop has them.
func (w *write) picked(v wanted) []pick {
	all := make([]pick, 0, len(v.options))
	for n, value := range v.options {
		p := pick{ID: attributeID(w.match[n]), Option: w.match[n].To[value]}
		if p.ID == 0 {
			p.Name = w.match[n].Name
		}
		all = append(all, p)
	}
	return all
}

// heldOffers are the attributes to choose by as the product has them.
func (w *write) heldOffers() []offer {
	var list []offer
	for _, axis := range w.heldAxes() {
		o := offer{ID: attributeID(choice.Match{ID: axis.ID}), Options: axis.Values}
		if o.ID == 0 {
			o.Name = axis.Name
		}
		list = append(list, o)
	}
	return list
}

func sameOffers(held, want []offer, values bool) bool {
	return slices.EqualFunc(held, want, func(h, w offer) bool {
		return h.ID == w.ID && h.Name == words.Plain(w.Name) &&
			(!values || slices.EqualFunc(h.Options, w.Options, func(a, b string) bool { return a == words.Plain(b) }))
	})
}

// offerFirst adds new values to a global attribute before a variation carries one: the shop keeps a
// value of a variation by the term, which the product's own write makes.
func (w *write) offerFirst(ctx context.Context) error {
	if w.fresh || w.turned ||
		!slices.ContainsFunc(w.match, func(m choice.Match) bool { return m.ID != "" && len(m.New) > 0 }) {
		return nil
	}
	for n := range w.match {
		m := &w.match[n]
		if m.Order = slices.Concat(m.Order, m.New); m.ID != "" {
			m.New = nil
		}
	}
	all := w.heldOffers()
	for i := range all {
		all[i].Position, all[i].Visible, all[i].Variation = i, true, true
		for _, m := range w.match {
			if all[i].ID > 0 && all[i].ID == attributeID(m) {
				all[i].Options = m.Order
			}
		}
	}
	return w.put(ctx, map[string]any{"attributes": w.withMerchants(all)}, w.stampAsWritten(), time.Time{})
}

// rememberChoices notes what the attributes are called after a write that ended well.
func (w *write) rememberChoices(err *error) {
	if *err == nil && w.unclear == nil {
		w.state.Choices = choice.Remember(w.want.options, w.match)
	}
}
