package woocommerce

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

const mostRounds = 5

// sync brings the variations to what is wanted: it writes what differs, and looks once more where
// something was made or did not go as it should. So a double that another request made loses the
// younger, a new variation is put on sale once the shop has shown the whole of it, and one that the
// shop refuses to change is not sold as it was.
func (w *write) sync(ctx context.Context) error {
	for range mostRounds {
		w.match()
		if err := w.offerFirst(ctx); err != nil {
			return err
		}
		switch again, err := w.carryOut(ctx); {
		case err != nil:
			return err
		case !again:
			return w.sold()
		}
		if err := w.readVariations(ctx); err != nil {
			return err
		}
	}
	return shopadapter.Retry("the variations of product %d keep changing in the shop", w.held.ID)
}

// sold is the error of variations of which none can be sold.
func (w *write) sold() error {
	switch {
	case w.p.Figures && kit.Unmade(w.wanted):
		return w.overtaken()
	case slices.ContainsFunc(w.wanted, func(v kit.Wanted[heldVariation]) bool {
		return w.refused[v.ID] == "" && v.Held != nil
	}):
		return nil
	case w.unclear != nil:
		return w.unclear
	}
	return w.refused.None(w.p)
}

// offerFirst gives the product the new values of global attributes before the variations: a
// variation takes no value of one that its product does not offer.
func (w *write) offerFirst(ctx context.Context) error {
	if w.origin == madeNow || !w.structural() {
		return nil
	}
	all, fresh := w.attributes(true), false
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
	return w.put(ctx, map[string]any{"attributes": bodies(append(all, w.attributes(false)...))})
}

// An op is what is to be done to one variation.
type op struct {
	place int            // among wanted; -1: it is of none
	id    number         // 0: it is to be made
	body  map[string]any // nil: it is to be deleted
}

func (o op) kind() string {
	switch {
	case o.body == nil:
		return "delete"
	case o.id == 0:
		return "create"
	}
	return "update"
}

// carryOut writes the differences, and reports whether the variations are to be read and compared
// once more: also where some are kept off sale until the shop has shown the whole of them.
func (w *write) carryOut(ctx context.Context) (again bool, err error) {
	ops, again := w.differences()
	if _, err := w.send(ctx, w.inTheWay(ops)); err != nil {
		return false, err
	}
	items, err := w.send(ctx, ops)
	if gone(err) || hasCode(err, codeNoVariation) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	for i, o := range ops {
		fine, err := w.outcome(ctx, o, items[i])
		if err != nil {
			return false, err
		}
		again = again || !fine
	}
	return again, nil
}

// differences is what is to be done to the variations.
func (w *write) differences() (ops []op, again bool) {
	for _, s := range w.surplus {
		switch {
		case !w.structural():
		case w.note.Adopted && !s.mark.Added:
			ops = append(ops, op{place: -1, id: s.ID, body: map[string]any{
				"status": "private", "sku": "", "meta_data": markMeta(nil),
			}})
		default:
			ops = append(ops, op{place: -1, id: s.ID})
		}
	}
	for i, v := range w.wanted {
		if w.refused[v.ID] != "" && v.Held != nil && v.Held.Status == "publish" {
			ops = append(ops, op{place: i, id: v.Held.ID, body: map[string]any{
				"status": "private", "meta_data": markMeta(w.mark(v.ID, v.Held.mark, true, v.Held.mark.Details)),
			}})
		}
		if w.refused[v.ID] != "" || v.Held == nil && !w.structural() {
			continue
		}
		if o, waits := w.difference(i, v); v.Held == nil || len(o.body) > 0 {
			ops = append(ops, o)
			again = again || waits || v.Held == nil && w.origin != madeNow
		}
	}
	return ops, again
}

// difference is what is to be written of one variant. A new one on a product that is on sale waits
// off sale until the shop has shown the whole of it: PHP writes the status before the price.
func (w *write) difference(place int, v kit.Wanted[heldVariation]) (o op, waits bool) {
	held, groups, body := v.Held, w.Changed, map[string]any{}
	if held == nil {
		held = &heldVariation{mark: mark{Added: true}, waits: true}
		body["menu_order"] = orderMark(w.ref.Publication)
	}
	switch {
	case held.ID == 0:
		groups = shopadapter.AllFields
	case held.Price == "":
		groups |= figureGroups
	}
	waits = held.Price == "" && held.waits && w.held.Status == "publish"
	w.figures(body, held.figures, v.Variant, groups)
	o = op{place: place, id: held.ID, body: body}
	if !w.structural() {
		return o, false
	}
	if groups.Has(shopadapter.FieldVariants) || !held.settled {
		if string(held.SKU) != v.SKU {
			body["sku"] = v.SKU
		}
		if held.ID == 0 || !w.carries(held, v.Planned) {
			body["attributes"] = w.picks(v.Planned)
		}
	}
	switch off := held.switchedOff() && !w.ref.Revive; {
	case waits:
		body["status"] = "private"
	case !off && held.Status != "publish":
		body["status"] = "publish"
	}
	sizes, details := w.sizes(held.figures, w.held.figures, held.mark.Details, v.Variant)
	maps.Copy(body, sizes)
	if next := w.mark(v.ID, held.mark, waits, details); kit.Encode(next) != held.meta(noteKey) {
		body["meta_data"] = markMeta(next)
	}
	return o, waits
}

// mark is that of a variation after a write.
func (w *write) mark(variant string, last mark, waits bool, details kit.Values) *mark {
	return &mark{
		ID: encodeID(string(w.ref.Publication)), Variant: encodeID(variant), Added: w.note.Adopted && last.Added,
		Waits: waits, Details: details,
	}
}

// inTheWay clears what variations hold that another one is to have: two that exchange their SKUs,
// or their EANs.
func (w *write) inTheWay(ops []op) (clear []op) {
	wanted := map[string]number{}
	for _, o := range ops {
		for _, field := range []string{"sku", eanField} {
			if value, _ := o.body[field].(string); value != "" {
				wanted[field+strings.ToLower(value)] = o.id
			}
		}
	}
	for i := range w.variations {
		h, body := &w.variations[i], map[string]any{}
		for field, value := range map[string]text{"sku": h.SKU, eanField: h.EAN} {
			if by, is := wanted[field+strings.ToLower(string(value))]; is && by != h.ID && h.key != "" {
				body[field] = ""
			}
		}
		if body[eanField] != nil {
			body["meta_data"] = markMeta(w.mark(h.key, h.mark, h.mark.Waits, without(h.mark.Details, eanName)))
		}
		if len(body) > 0 {
			clear = append(clear, op{place: -1, id: h.ID, body: body})
		}
	}
	return clear
}

// send makes the requests of a batch, a hundred operations each, and returns what became of each.
func (w *write) send(ctx context.Context, ops []op) (items []batchItem, err error) {
	for part := range slices.Chunk(ops, perPage) {
		body := map[string][]any{}
		for _, o := range part {
			switch one := maps.Clone(o.body); {
			case one == nil:
				body[o.kind()] = append(body[o.kind()], o.id)
			case o.id > 0:
				one["id"] = o.id
				fallthrough
			default:
				body[o.kind()] = append(body[o.kind()], one)
			}
		}
		var got batchAnswer
		path := productPath(w.held.ID) + "/variations/batch"
		if err := w.a.call(ctx, http.MethodPost, path, nil, body, &got); err != nil {
			return nil, w.unanswered(err)
		}
		lists := map[string]*list[batchItem]{"create": &got.Create, "update": &got.Update, "delete": &got.Delete}
		for _, o := range part {
			some := lists[o.kind()]
			if len(*some) == 0 {
				return nil, w.unanswered(shopadapter.Retry("the shop answered a batch of %d with less", len(part)))
			}
			items = append(items, (*some)[0])
			*some = (*some)[1:]
		}
	}
	return items, nil
}

// unanswered notes a write of variations that PHP may still be working on.
func (w *write) unanswered(err error) error {
	if uncertain(err) {
		w.state.Unanswered = time.Now().UnixMilli()
	}
	return err
}

// outcome records what became of an operation. fine is false where the shop holds something else
// than was thought, or the operation is to be tried without its EAN.
func (w *write) outcome(ctx context.Context, o op, item batchItem) (fine bool, err error) {
	if item.Error == nil {
		if item.ID <= 0 || o.id > 0 && item.ID != o.id {
			return false, w.unanswered(shopadapter.Retry("the shop answered a batch with something else than was asked for"))
		}
		if o.place >= 0 && w.wanted[o.place].Held == nil {
			w.wanted[o.place].Held = &heldVariation{
				figures: item.figures, key: w.wanted[o.place].ID, settled: true, mark: mark{Added: true},
			}
		}
		return true, nil
	}
	r := w.a.refusalOf(*item.Error, int(item.Error.Data.Status))
	switch {
	case o.body == nil && r.Code == codeNoVariation:
		return true, nil
	case r.Code == codeNoVariation, r.Code == codeNotCreated:
		return false, nil
	case r.Status >= http.StatusInternalServerError || r.Code == "" || o.place < 0:
		return false, shopadapter.Retry("the shop could not write a variation: %s", r.Message)
	case r.Code == codeSKU && r.Resource > 0:
		return w.skuTaken(ctx, o, r.Resource)
	case refusesEAN(r.Code) && o.body[eanField] != nil:
		w.leaveEAN(w.wanted[o.place].SKU, o.body[eanField], r.Message)
		return false, nil
	}
	w.refused[w.wanted[o.place].ID] = r.Message
	return w.wanted[o.place].Held == nil, nil
}

// skuTaken judges a variation whose SKU stands elsewhere in the shop.
func (w *write) skuTaken(ctx context.Context, o op, by int64) (fine bool, err error) {
	hit, owner, err := w.a.holder(ctx, by)
	v := w.wanted[o.place]
	switch {
	case err != nil:
		return false, err
	case owner.ID == 0, owner.ID == w.held.ID && hit.ID != owner.ID:
		return false, nil // one of our own, of which the picture was wrong
	case w.note.finished():
		w.refused[v.ID] = w.foreign(owner, v.SKU).Message
		return v.Held == nil, nil
	case w.origin == madeNow:
		err = w.a.remove(ctx, w.held.ID)
	}
	if err == nil {
		err = w.foreign(owner, v.SKU)
	}
	return false, err
}
