package woocommerce

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

type heldVariation struct {
	figures
	mark    mark
	key     string // the variant's id; "" for one of the merchant's
	settled bool   // has its mark, and does not wait
	// off sale by the adapter: its mark says so, or PHP died before writing the mark
	waits bool
}

type wanted = kit.Wanted[heldVariation]

// orderMark is the menu_order of our variations: PHP writes it before the metadata.
func orderMark(publication shopadapter.PublicationID) number {
	hash, _ := strconv.ParseInt(kit.Digest(string(publication), 4), 16, 64)
	return 1_000_000_000 + number(hash%1_000_000_000)
}

func (v *heldVariation) picked(id, name string) string {
	for _, a := range v.Attributes {
		if a.ID > 0 && idText(a.ID) == id || a.ID == 0 && id == "" && fold(plain(string(a.Name))) == fold(name) {
			return plain(string(a.Option))
		}
	}
	return ""
}

// readVariations waits until the variations stand still if PHP may still be at work.
func (w *write) readVariations(ctx context.Context) error {
	moving := stillWorking(w.state.Unanswered) || w.Own && !w.made
	statuses := []string{"any"}
	if w.restored {
		statuses = append(statuses, "trash")
	}
	for waits, before := 0, ""; ; waits++ {
		var all []figures
		for _, status := range statuses {
			some, err := readAll[figures](ctx, w.a.client, productPath(w.held.ID)+"/variations", asking("context", "edit",
				"_fields", variationFields, "include_meta", noteKey, "orderby", "id", "order", "asc", "status", status))
			if err != nil {
				return err
			}
			all = append(all, some...)
		}
		slices.SortFunc(all, func(a, b figures) int { return int(a.ID - b.ID) })
		all = slices.CompactFunc(all, func(a, b figures) bool { return a.ID == b.ID })
		now := fmt.Sprint(all)
		if !moving || now == before || waits == w.a.patience.steps {
			w.state.Unanswered = 0
			return w.sort(all)
		}
		before = now
		if err := kit.Pause(ctx, w.a.patience.step); err != nil {
			return err
		}
	}
}

// sort says whose the variations are. A variant without one claims one with its SKU: the merchant's, or ours that is
// wanted no longer.
func (w *write) sort(all []figures) error {
	w.variations = nil
	found, planned := map[string]bool{}, map[string]bool{}
	for _, v := range all {
		if sameSKU(string(v.SKU), string(w.held.SKU)) {
			v.SKU = "" // a variation without one shows that of its product
		}
		h := heldVariation{figures: v}
		var ours bool
		switch h.mark, h.key, ours = readMark(v, w.ref.Publication); {
		case ours:
			h.waits = h.mark.Waits || v.Status != "publish" && v.Status != "private"
			h.settled = !h.waits
		case v.Order == orderMark(w.ref.Publication) && v.meta(noteKey) == "":
			// PHP died while it made it; its SKU may tell whose it is
			h.key, h.mark.Added, h.waits = "\x00", true, true
		}
		found[h.key] = true
		w.variations = append(w.variations, h)
	}
	for _, p := range w.planned {
		planned[p.ID] = true
	}
	for _, p := range w.planned {
		var free *heldVariation
		for i := range w.variations {
			h := &w.variations[i]
			if !found[p.ID] && !planned[h.key] && sameSKU(p.SKU, string(h.SKU)) && (free == nil || h.key == "") {
				free = h
			}
		}
		if free != nil {
			free.key, free.settled = p.ID, false
		}
	}
	for _, h := range w.variations {
		if w.note.Adopted && !w.note.finished() && h.key == "" {
			return shopadapter.Block("product %s cannot be taken over: its variation #%d (SKU %q) is none of the "+
				"supplier's", w.a.called(w.held), h.ID, w.a.clean(string(h.SKU)))
		}
	}
	return nil
}

func (w *write) match() {
	w.wanted, w.surplus = kit.Match(w.planned, w.variations,
		func(h *heldVariation) string { return h.key }, func(*heldVariation, kit.Planned) bool { return true })
}

// sync writes what differs, and looks again where something was made or failed. A variation that the shop refuses to
// change goes off sale.
func (w *write) sync(ctx context.Context) error {
	const mostRounds = 5
	for range mostRounds {
		w.match()
		ops, again := w.differences()
		if _, err := w.send(ctx, w.inTheWay(ops)); err != nil {
			return err
		}
		items, err := w.send(ctx, ops)
		if err != nil {
			return err
		}
		for i, item := range items {
			fine, err := w.outcome(ctx, ops[i], item)
			if err != nil {
				return err
			}
			again = again || !fine
		}
		if !again {
			return w.sold()
		}
		if err := w.readVariations(ctx); err != nil {
			return err
		}
	}
	return shopadapter.Retry("the variations of product %d keep changing in the shop", w.held.ID)
}

// sold fails where no variation can be sold.
func (w *write) sold() error {
	switch {
	case w.p.Figures && w.unclear == nil && kit.Unmade(w.wanted):
		return w.overtaken()
	case slices.ContainsFunc(w.wanted, func(v wanted) bool { return w.refused[v.ID] == "" && v.Held != nil }):
		return nil
	}
	return w.refused.None(w.p)
}

type op struct {
	place int            // among wanted; -1: none
	id    number         // 0: make it
	body  map[string]any // nil: delete it
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

func (w *write) differences() (ops []op, again bool) {
	for _, s := range w.surplus {
		switch {
		case !w.structural():
		case w.note.Adopted && !s.mark.Added:
			body := map[string]any{"status": "private", "sku": "", "meta_data": metaOf(nil)}
			ops = append(ops, op{place: -1, id: s.ID, body: body})
		default:
			ops = append(ops, op{place: -1, id: s.ID})
		}
	}
	for i, v := range w.wanted {
		switch refused := w.refused[v.ID] != ""; {
		case refused && v.Held != nil && v.Held.Status == "publish":
			ops = append(ops, op{place: i, id: v.Held.ID, body: map[string]any{
				"status": "private", "meta_data": metaOf(w.mark(v.ID, v.Held.mark, true, v.Held.mark.Details)),
			}})
		case refused, v.Held == nil && !w.structural():
		default:
			o, waits := w.difference(i, v)
			if v.Held == nil || len(o.body) > 0 {
				ops = append(ops, o)
			}
			again = again || waits || v.Held == nil && !w.made
		}
	}
	return ops, again
}

// difference also reports whether the variant waits until the shop has shown it whole.
func (w *write) difference(place int, v wanted) (o op, waits bool) {
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
	held.figures.write(body, v.Variant, groups)
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
	waits = held.Price == "" && held.waits && w.held.Status == "publish"
	off := held.ID > 0 && held.Status == "private" && !held.waits && !w.ref.Revive // switched off by the merchant
	switch {
	case waits:
		body["status"] = "private"
	case !off && held.Status != "publish":
		body["status"] = "publish"
	}
	sizes, details := w.sizes(held.figures, w.held.figures, held.mark.Details, v.Variant)
	maps.Copy(body, sizes)
	if next := w.mark(v.ID, held.mark, waits, details); kit.Encode(next) != held.meta(noteKey) {
		body["meta_data"] = metaOf(next)
	}
	return o, waits
}

func (w *write) mark(variant string, last mark, waits bool, details kit.Values) *mark {
	return &mark{
		ID: encodeID(string(w.ref.Publication)), Variant: encodeID(variant), Added: w.note.Adopted && last.Added,
		Waits: waits, Details: details,
	}
}

func (w *write) picks(v kit.Planned) []map[string]any {
	all := []map[string]any{}
	for n, value := range v.Values {
		if id := attributeID(w.words[n]); id > 0 {
			all = append(all, map[string]any{"id": id, "option": value})
		} else {
			all = append(all, map[string]any{"name": w.words[n].Name, "option": value})
		}
	}
	return all
}

func (w *write) carries(held *heldVariation, v kit.Planned) bool {
	for n, value := range v.Values {
		if held.picked(w.words[n].ID, w.words[n].Name) != plain(value) {
			return false
		}
	}
	return len(held.Attributes) == len(v.Values)
}

func (f figures) write(body map[string]any, v shopadapter.Variant, groups shopadapter.Fields) {
	if groups.Has(shopadapter.FieldPrice) && f.Price != text(v.Price) {
		body["regular_price"] = v.Price
	}
	same := f.Managed == "true" && f.Quantity == number(v.Quantity) && string(f.Backorders) == backorders(v)
	if groups.Has(shopadapter.FieldStock) && !same {
		body["manage_stock"], body["stock_quantity"], body["backorders"] = true, int64(v.Quantity), backorders(v)
		switch { // used where the shop counts no stock
		case v.Quantity > 0:
			body["stock_status"] = "instock"
		case v.Backorders:
			body["stock_status"] = "onbackorder"
		default:
			body["stock_status"] = "outofstock"
		}
	}
}

func backorders(v shopadapter.Variant) string {
	if v.Backorders {
		return "yes"
	}
	return "no"
}

// inTheWay clears SKUs and EANs that another variation is to have: two may exchange theirs.
func (w *write) inTheWay(ops []op) (clear []op) {
	to := map[string]number{}
	for _, o := range ops {
		for _, field := range []string{"sku", eanField} {
			if value, _ := o.body[field].(string); value != "" {
				to[field+strings.ToLower(value)] = o.id
			}
		}
	}
	for i := range w.variations {
		h, body := &w.variations[i], map[string]any{}
		for field, value := range map[string]text{"sku": h.SKU, eanField: h.EAN} {
			if by, is := to[field+strings.ToLower(string(value))]; is && by != h.ID && h.key != "" {
				body[field] = ""
			}
		}
		if body[eanField] != nil {
			body["meta_data"] = metaOf(w.mark(h.key, h.mark, h.mark.Waits, without(h.mark.Details, eanName)))
		}
		if len(body) > 0 {
			clear = append(clear, op{place: -1, id: h.ID, body: body})
		}
	}
	return clear
}

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
		var got map[string]list[batchItem]
		path := productPath(w.held.ID) + "/variations/batch"
		if err := w.a.call(ctx, http.MethodPost, path, nil, body, &got); err != nil {
			return nil, w.unanswered(err)
		}
		for _, o := range part {
			some := got[o.kind()]
			if len(some) == 0 {
				return nil, w.unanswered(shopadapter.Retry("the shop answered a batch of %d with less", len(part)))
			}
			items = append(items, some[0])
			got[o.kind()] = some[1:]
		}
	}
	return items, nil
}

func (w *write) unanswered(err error) error {
	if uncertain(err) {
		w.state.Unanswered = time.Now().UnixMilli()
	}
	return err
}

// outcome returns fine as false where the shop differs from what was read, or the operation is to be tried without
// its EAN.
func (w *write) outcome(ctx context.Context, o op, item batchItem) (fine bool, err error) {
	if item.Error == nil {
		if item.ID <= 0 || o.id > 0 && item.ID != o.id {
			return false, w.unanswered(shopadapter.Retry("the shop answered a batch with something else than was asked for"))
		}
		if o.place >= 0 && w.wanted[o.place].Held == nil {
			w.wanted[o.place].Held = &heldVariation{figures: item.figures, key: w.wanted[o.place].ID, settled: true}
		}
		return true, nil
	}
	r := w.a.refusalOf(*item.Error, int(item.Error.Data.Status))
	why := r.Message
	switch {
	case o.body == nil && r.Code == codeNoVariation:
		return true, nil
	case r.Code == codeNoVariation, r.Code == codeNotCreated:
		return false, nil
	case r.Status >= http.StatusInternalServerError || r.Code == "" || o.place < 0:
		return false, shopadapter.Retry("the shop could not write a variation: %s", r.Message)
	case r.Code == codeSKU && r.Resource > 0:
		err := w.clash(ctx, r.Resource)
		if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Blocked || !w.note.finished() {
			return false, err
		}
		why = err.Error()
	case refusesEAN(r.Code) && o.body[eanField] != nil:
		w.leaveEAN(w.wanted[o.place].SKU, o.body[eanField], r.Message)
		return false, nil
	}
	w.refused[w.wanted[o.place].ID] = why
	return w.wanted[o.place].Held == nil, nil
}
