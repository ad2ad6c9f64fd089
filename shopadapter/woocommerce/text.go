package woocommerce

import (
	"context"
	"slices"
	"strconv"

	"github.com/pubsync/pubsync/shopadapter"
)

// settle tells whether a text group is to be written over what the shop holds. Where that is the merchant's, the group is noted as kept. last is the
// mark of what was last written, and becomes that of what the shop holds afterwards.
func (w *write) settle(group shopadapter.Fields, held, want string, last *string) bool {
	switch {
	case !w.changed.Has(group):
		return false
	case *last == merchants && !w.reset.Has(group):
		w.kept |= group
		return false
	case held == want:
		*last = want
		return false
	case held != *last && !w.reset.Has(group):
		w.kept |= group
		return false
	}
	*last = want
	return true
}

func (w *write) planTexts(put map[string]any) {
	title, description := titleMark(w.want.title), descriptionMark(w.want.description)
	if w.settle(shopadapter.FieldTitle, titleMark(string(w.view.Name)), title, &w.stamp.Title) {
		put["name"] = w.want.title
	}
	if w.settle(shopadapter.FieldDescription, descriptionMark(string(w.view.Content)), description, &w.stamp.Description) {
		put["description"] = w.want.description
	}
}

// planCategory leaves a product where it is when the shop has no category for it.
func (w *write) planCategory(ctx context.Context, put map[string]any) error {
	if !w.changed.Has(shopadapter.FieldCategory) {
		return nil
	}
	id, err := w.a.categories.find(ctx, w.a, w.want.category)
	if err != nil || id == 0 {
		return err
	}
	want := w.a.categoryMark([]placement{{ID: number(id)}})
	if w.settle(shopadapter.FieldCategory, w.a.categoryMark(w.view.Categories), want, &w.stamp.Category) {
		put["categories"] = []map[string]any{{"id": id}}
	}
	return nil
}

// attributes are the choices as the API takes them.
func (w *write) attributes(list []choice) []map[string]any {
	all := make([]map[string]any, 0, len(list))
	for i, c := range list {
		all = append(all, map[string]any{"name": c.name, "position": i, "visible": true, "variation": true, "options": c.values})
	}
	return all
}

// heldChoices are the choices that the product offers.
func (w *write) heldChoices() []choice {
	var list []choice
	for _, a := range w.view.Attributes {
		if !a.Variation {
			continue
		}
		c := choice{name: plain(string(a.Name))}
		if a.ID != 0 {
			c.name = "#" + strconv.FormatInt(int64(a.ID), 10) // a global attribute is not one of ours, whatever its name
		}
		for _, option := range a.Options {
			c.values = append(c.values, plain(string(option)))
		}
		list = append(list, c)
	}
	return list
}

func sameChoices(a, b []choice, values bool) bool {
	return slices.EqualFunc(a, b, func(x, y choice) bool {
		return x.name == plain(y.name) && (!values || slices.EqualFunc(x.values, y.values, func(v, w string) bool { return v == plain(w) }))
	})
}

// offered are the choices that some variation in the shop is, since one that leads nowhere is a trap for a customer.
func (w *write) offered() []choice {
	list := make([]choice, len(w.want.options))
	for n, c := range w.want.options {
		list[n].name = c.name
		for _, value := range c.values {
			if slices.ContainsFunc(w.want.variants, func(v wanted) bool { return v.options[n].Value == value && w.state.Variants[v.id].ID > 0 }) {
				list[n].values = append(list[n].values, value)
			}
		}
	}
	return list
}

// withMerchants is our attributes followed by those that the merchant added and that are no choice. A write replaces the whole list.
func (w *write) withMerchants(own []map[string]any) []map[string]any {
	for _, a := range w.view.Attributes {
		ours := slices.ContainsFunc(own, func(o map[string]any) bool { return foldWords(o["name"].(string)) == foldWords(string(a.Name)) })
		if a.Variation || ours {
			continue
		}
		other := map[string]any{"name": a.Name, "position": len(own), "visible": a.Visible, "variation": false, "options": a.Options}
		if a.ID != 0 {
			delete(other, "name")
			other["id"] = a.ID
		}
		own = append(own, other)
	}
	return own
}

func (w *write) planAttributes(put map[string]any) {
	if !w.changed.Has(shopadapter.FieldVariants) {
		return
	}
	if want := w.offered(); !sameChoices(w.heldChoices(), want, true) {
		put["attributes"] = w.withMerchants(w.attributes(want))
	}
}

// shape makes the product one of the right kind, with the right options. While they change it is no product that anybody could buy, so it is a
// draft until the end of the call.
func (w *write) shape(ctx context.Context) error {
	kind := "simple"
	if w.want.variable {
		kind = "variable"
	}
	turned := string(w.view.Type) != kind
	renamed := w.want.variable && !turned && w.changed.Has(shopadapter.FieldVariants) && !sameChoices(w.heldChoices(), w.want.options, false)
	if !turned && !renamed {
		return nil
	}
	body := map[string]any{"status": "draft", "type": kind}
	if w.want.variable {
		body["attributes"] = w.withMerchants(w.attributes(w.want.options))
	} else {
		body["attributes"] = w.withMerchants([]map[string]any{})
	}
	if turned {
		w.changed |= shopadapter.FieldVariants | figures
		w.state.Variants, w.known = nil, false
		if w.want.variable {
			// The supplier's SKU goes over to a variation, and stock is the variations' affair.
			body["sku"], body["manage_stock"], body["regular_price"] = keySKU(w.ref.Publication), false, ""
		}
	}
	if err := w.put(ctx, body, w.stampAsWritten(), false); err != nil {
		return err
	}
	w.turned = turned
	return nil
}

// stampAsWritten is the stamp as the shop holds it: for a write that holds none of the texts that the new one speaks of.
func (w *write) stampAsWritten() stamp {
	if s := readStamp(w.written); s.ID != "" {
		return s
	}
	return w.stamp
}

// planFigures is what differs of a product with nothing to choose.
func (w *write) planFigures(put map[string]any) {
	v := w.want.variants[0]
	if own := encodeID(v.id); w.stamp.Variant != own {
		w.changed |= shopadapter.FieldVariants | figures // another variant, to be written whole
		w.stamp.Variant = own
	}
	if w.changed.Has(shopadapter.FieldVariants) && string(w.view.SKU) != w.want.sku {
		put["sku"] = w.want.sku
	}
	if w.changed.Has(shopadapter.FieldPrice) && string(w.view.Price) != v.price {
		put["regular_price"] = v.price
	}
	if w.changed.Has(shopadapter.FieldStock) && heldStock(w.view.Managed, w.view.Quantity, w.view.Backorders) != v.stock() {
		for name, value := range w.figuresOf(v, shopadapter.FieldStock) {
			put[name] = value
		}
	}
	s := slot{ID: int64(w.view.ID), Price: string(w.view.Price), Stock: heldStock(w.view.Managed, w.view.Quantity, w.view.Backorders)}
	w.wrote(&s, v, w.changed)
	w.state.Variants = map[string]slot{v.id: s}
}

// heldStock is the mark of a stock as the shop holds it, "" where it is not managed.
func heldStock(managed text, quantity number, backorders text) string {
	if managed != "true" {
		return ""
	}
	return stockMark(int64(quantity), string(backorders))
}
