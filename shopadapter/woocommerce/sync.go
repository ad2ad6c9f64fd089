package woocommerce

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

const mostRounds = 5

// sync brings the variations to what is wanted: it writes what differs, and looks once more where
// something was made or did not go as it should. So a double that another request made loses the
// younger, and a new variation is put on sale once the shop has shown the whole of it.
func (w *write) sync(ctx context.Context) error {
	for range mostRounds {
		w.match()
		if err := w.offerFirst(ctx); err != nil {
			return err
		}
		again, err := w.carryOut(ctx)
		if err != nil {
			return err
		}
		if !again {
			return w.withhold(ctx)
		}
		if err := w.readVariations(ctx); err != nil {
			return err
		}
	}
	return shopadapter.Retry("the variations of product %d keep changing in the shop", w.held.ID)
}

// structural reports whether variations may be made, deleted, renamed and given other SKUs.
func (w *write) structural() bool { return w.unclear == nil && !w.p.Figures }

// differences is what is to be done to the variations. again: some are kept off sale until the shop
// has shown the whole of them.
func (w *write) differences() (b batch, again bool) {
	for i, v := range w.wanted {
		if w.refused[v.ID] != "" {
			continue
		}
		o, waits := w.difference(i, v)
		switch {
		case v.Held == nil && w.structural():
			b.create = append(b.create, o)
			again = again || waits || !w.fresh
		case v.Held != nil && len(o.body) > 0:
			b.update = append(b.update, o)
			again = again || waits
		}
	}
	if w.structural() {
		for _, s := range w.surplus {
			if w.note.Adopted && !s.added {
				b.update = append(b.update, op{place: -1, id: s.ID, body: map[string]any{
					"status": "private", "sku": "", "meta_data": noMarks(),
				}})
			} else {
				b.remove = append(b.remove, s.ID)
			}
		}
	}
	return b, again
}

func noMarks() []any { return []any{metaOf(noteKey, nil), metaOf(detailsKey, nil)} }

// difference is what is to be written of one variant. A new one on a product that is on sale waits
// off sale until the shop has shown the whole of it: PHP writes the status before the price.
func (w *write) difference(place int, v kit.Wanted[heldVariation]) (o op, waits bool) {
	held, groups, body := v.Held, w.Changed, map[string]any{}
	if held == nil {
		held, groups = &heldVariation{added: true}, shopadapter.AllFields
		body["menu_order"] = orderMark(w.ref.Publication)
	}
	o = op{place: place, id: held.ID, body: body}
	if held.ID == 0 || held.Price == "" {
		groups |= figureGroups
	}
	waits = (held.ID == 0 || held.Price == "" && held.waits) && w.held.Status == "publish"
	w.figures(body, held.figures, v.Variant, groups)
	if !w.structural() {
		return o, false
	}
	if groups.Has(shopadapter.FieldVariants) || !held.marked || held.waits {
		if string(held.SKU) != v.SKU {
			body["sku"] = v.SKU
		}
		if held.ID == 0 || !w.carries(held, v.Planned) {
			body["attributes"] = w.picks(v.Planned)
		}
	}
	switch off := held.switchedOff() && held.ID > 0 && !w.ref.Revive; {
	case waits:
		body["status"] = "private"
	case !off && held.Status != "publish":
		body["status"] = "publish"
	}
	var marks []any
	if !held.marked || held.waits != waits {
		marks = append(marks, metaOf(noteKey, markOf(w.ref.Publication, v.ID, w.note.Adopted && held.added, waits)))
	}
	if sizes, note, differs := w.sizes(held.figures, w.held.figures, readDetails(held.figures),
		v.Variant); differs {
		maps.Copy(body, sizes)
		marks = append(marks, detailsMeta(note))
	}
	if len(marks) > 0 {
		body["meta_data"] = marks
	}
	return o, waits
}

// inTheWay clears what variations hold that another one is to have: two that exchange their SKUs,
// or their EANs.
func (w *write) inTheWay(b batch) (clear []op) {
	holders := map[string]*heldVariation{}
	for i := range w.variations {
		h := &w.variations[i]
		for field, value := range map[string]text{"sku": h.SKU, eanField: h.EAN} {
			if value != "" && h.key != "" {
				holders[field+strings.ToLower(string(value))] = h
			}
		}
	}
	bodies := map[number]map[string]any{}
	for _, o := range slices.Concat(b.create, b.update) {
		for _, field := range []string{"sku", eanField} {
			value, _ := o.body[field].(string)
			h := holders[field+strings.ToLower(value)]
			if value == "" || h == nil || h.ID == o.id {
				continue
			}
			if bodies[h.ID] == nil {
				bodies[h.ID] = map[string]any{}
			}
			if bodies[h.ID][field] = ""; field == eanField {
				bodies[h.ID]["meta_data"] = []any{detailsMeta(without(readDetails(h.figures), eanName))}
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(bodies)) {
		clear = append(clear, op{place: -1, id: id, body: bodies[id]})
	}
	return clear
}

// carryOut writes the differences, and reports whether the variations are to be read and compared
// once more.
func (w *write) carryOut(ctx context.Context) (again bool, err error) {
	b, again := w.differences()
	if _, err := w.send(ctx, batch{update: w.inTheWay(b)}); err != nil {
		return false, err
	}
	got, err := w.send(ctx, b)
	if gone(err) || hasCode(err, codeNoVariation) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	items := slices.Concat(got.Create, got.Update)
	for i, o := range slices.Concat(b.create, b.update) {
		fine, err := w.outcome(ctx, o, items[i])
		if err != nil {
			return false, err
		}
		again = again || !fine
	}
	for _, item := range got.Delete {
		if item.Error != nil && item.Error.Code != codeNoVariation {
			return false, shopadapter.Retry("the shop does not delete a variation: %s", w.a.refusalOf(*item.Error, 0).Message)
		}
	}
	return again, nil
}

// withhold takes off sale what stands in the shop of variants that were refused: they must not be
// sold as they were.
func (w *write) withhold(ctx context.Context) error {
	var b batch
	accepted := 0
	for i, v := range w.wanted {
		switch {
		case w.refused[v.ID] == "" && v.Held != nil:
			accepted++
		case v.Held != nil && v.Held.Status == "publish":
			mark := markOf(w.ref.Publication, v.ID, w.note.Adopted && v.Held.added, true)
			b.update = append(b.update, op{place: i, id: v.Held.ID, body: map[string]any{
				"status": "private", "meta_data": []any{metaOf(noteKey, mark)},
			}})
		}
	}
	if accepted == 0 {
		if w.unclear != nil {
			return w.unclear
		}
		return w.refused.None(w.p)
	}
	_, err := w.send(ctx, b)
	return err
}

// offerFirst gives the product the new values of global attributes before the variations: a
// variation takes no value of one that its product does not offer.
func (w *write) offerFirst(ctx context.Context) error {
	if w.fresh || !w.structural() {
		return nil
	}
	all, fresh := w.heldChoosing(), false
	for n := range w.words {
		word := &w.words[n]
		if word.ID == "" || len(word.New) == 0 {
			continue
		}
		fresh = true
		word.Order, word.New = slices.Concat(word.Order, word.New), nil
		for i := range all {
			if all[i].ID == attributeID(*word) {
				all[i].Options = word.Order
			}
		}
	}
	if !fresh {
		return nil
	}
	return w.put(ctx, map[string]any{"attributes": bodies(append(all, w.others()...))})
}

// restock writes figures alone, where the product is as a Publish left it and its variations are
// exactly those that the figures name.
func (w *write) restock(ctx context.Context) error {
	if !w.note.Done || !w.held.onSale() {
		return shopadapter.ErrWhole
	}
	w.variable = w.held.Type == "variable"
	w.options = []string{"id"}
	w.planned = kit.Fit(w.p, w.refused, func(v shopadapter.Variant) ([]string, string) {
		if !decimalPrice.MatchString(v.Price) {
			return nil, "the price is no decimal number"
		}
		return []string{v.ID}, ""
	})
	if len(w.planned) != len(w.p.Variants) || len(w.planned) == 0 {
		return shopadapter.ErrWhole
	}
	overtaken := shopadapter.Retry("product %d was changed in the shop while its figures were written", w.held.ID)
	if !w.variable {
		if len(w.planned) != 1 || w.held.Type != "simple" || w.note.Variant != encodeID(w.planned[0].ID) {
			return shopadapter.ErrWhole
		}
		fields := map[string]any{}
		w.figures(fields, w.held.figures, w.planned[0].Variant, w.Changed)
		if err := w.putChanged(ctx, fields); err != nil || w.held.onSale() {
			return err
		}
		return overtaken
	}
	if err := w.readVariations(ctx); err != nil {
		return err
	}
	w.match()
	if len(w.surplus) > 0 || slices.ContainsFunc(w.wanted, func(v kit.Wanted[heldVariation]) bool {
		return v.Held == nil || !v.Held.marked || v.Held.waits
	}) {
		return shopadapter.ErrWhole
	}
	switch again, err := w.carryOut(ctx); {
	case err != nil:
		return err
	case again:
		return overtaken
	}
	return w.withhold(ctx)
}
