package woocommerce

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// A heldVariation is a variation as the shop holds it, and whose it is.
type heldVariation struct {
	variation
	key    string // the id of the variant that it is; "" for one of the merchant's
	marked bool   // it carries this variant's mark
	added  bool   // the adapter made it
	waits  bool   // the adapter keeps it off sale
}

// switchedOff reports whether the merchant took the variation off sale. It stays so, whatever is
// written.
func (v *heldVariation) switchedOff() bool { return v.Status == "private" && !v.waits }

// picked is the value of a variation for an attribute.
func (v *heldVariation) picked(id, name string) string {
	for _, a := range v.Attributes {
		if a.ID > 0 && idText(a.ID) == id || a.ID == 0 && id == "" && fold(plain(string(a.Name))) == fold(name) {
			return plain(string(a.Option))
		}
	}
	return ""
}

// deadKey is the key of a variation that PHP died over: no variant's.
const deadKey = "\x00"

// orderMark is the menu_order of a variation that the adapter makes. It stands in the row, which
// PHP writes before the metadata.
func orderMark(publication shopadapter.PublicationID) number {
	sum := sha256.Sum256([]byte(publication))
	return 1_000_000_000 + number(binary.BigEndian.Uint32(sum[:4])%1_000_000_000)
}

// mostVariationPages bounds what is read of one product.
const mostVariationPages = 50

// readVariations reads the product's variations and says whose they are. Where PHP may still be at
// work on a batch that was not answered, it waits until they stand still.
func (w *write) readVariations(ctx context.Context) error {
	moving := w.state.recent() || !w.note.Done && !w.note.Adopted && !w.fresh
	for waits, before := 0, ""; ; waits++ {
		all, err := w.listVariations(ctx, "")
		if err == nil && w.restored {
			var trashed []variation
			trashed, err = w.listVariations(ctx, "trash")
			all = append(all, trashed...)
		}
		if err != nil {
			return err
		}
		var now strings.Builder
		for _, v := range all {
			fmt.Fprintln(&now, v.ID, v.SKU, v.Price, v.Quantity)
		}
		if !moving || now.String() == before || waits == w.a.patience.steps {
			w.state.Unanswered = 0
			return w.sort(all)
		}
		before = now.String()
		if err := pause(ctx, w.a.patience.step); err != nil {
			return err
		}
	}
}

func (w *write) listVariations(ctx context.Context, status string) (all []variation, err error) {
	seen := map[number]bool{}
	for page := 1; page <= mostVariationPages; page++ {
		query := asking("context", "edit", "_fields", variationFields, "include_meta", metaKeys, "orderby", "id",
			"order", "asc", "per_page", strconv.Itoa(perPage), "page", strconv.Itoa(page))
		if status != "" {
			query.Set("status", status)
		}
		var some list[variation]
		if _, err := w.a.call(ctx, http.MethodGet, productPath(w.held.ID)+"/variations", query, nil, &some); err != nil {
			return nil, err
		}
		for _, v := range some {
			if v.ID > 0 && !seen[v.ID] {
				seen[v.ID] = true
				all = append(all, v)
			}
		}
		if len(some) < perPage {
			break
		}
	}
	slices.SortFunc(all, func(a, b variation) int { return int(a.ID - b.ID) })
	return all, nil
}

// sort says whose the variations are. A variant without one takes over the one that has its SKU:
// the merchant's, or one of ours that is wanted no longer.
func (w *write) sort(all []variation) error {
	w.variations = nil
	found := map[string]bool{}
	for _, v := range all {
		if sameSKU(string(v.SKU), string(w.held.SKU)) {
			v.SKU = "" // a variation without one shows that of its product
		}
		h := heldVariation{variation: v}
		mark := v.meta(noteKey)
		var ours bool
		h.key, h.added, h.waits, ours = readMark(mark, w.ref.Publication)
		switch h.marked = ours; {
		case ours:
			found[h.key] = true
			h.waits = h.waits || v.Status != "publish" && v.Status != "private"
		case v.Order == orderMark(w.ref.Publication) && mark == "" && v.Price == "":
			h.key, h.added, h.waits = deadKey, true, true
		}
		w.variations = append(w.variations, h)
	}
	wants := func(key string) bool {
		return slices.ContainsFunc(w.planned, func(p kit.Planned) bool { return p.ID == key })
	}
	for _, want := range w.planned {
		if found[want.ID] {
			continue
		}
		for _, free := range []func(heldVariation) bool{
			func(h heldVariation) bool { return h.key == "" },
			func(h heldVariation) bool { return h.key != "" && !wants(h.key) },
		} {
			i := slices.IndexFunc(w.variations, func(h heldVariation) bool {
				return free(h) && sameSKU(want.SKU, string(h.SKU))
			})
			if i >= 0 {
				w.variations[i].key, w.variations[i].marked = want.ID, false
				break
			}
		}
	}
	if w.note.Adopted && !w.note.Done {
		for _, h := range w.variations {
			if h.key == "" {
				return shopadapter.Block("product %s cannot be taken over: its variation #%d (SKU %q) is none of the "+
					"supplier's", w.a.called(w.held), h.ID, w.a.clean(string(h.SKU)))
			}
		}
	}
	return nil
}

// match gives each planned variant the variation that the shop holds of it.
func (w *write) match() {
	w.wanted, w.surplus = kit.Match(w.planned, w.variations,
		func(h *heldVariation) string { return h.key }, func(*heldVariation, kit.Planned) bool { return true })
}

// An op is what is to be done to one variation.
type op struct {
	place    int    // among wanted
	id       number // 0: it is to be made
	body     map[string]any
	confirms bool // it is made off sale, and put on sale once the shop has confirmed the whole of it
}

// A batch is one request for variations.
type batch struct {
	create, update []op
	remove         []number
}

func (b batch) size() int { return len(b.create) + len(b.update) + len(b.remove) }

// parts are the batch in requests of at most a hundred operations: deletions first, so that what
// they hold is free.
func (b batch) parts() (all []batch) {
	if b.size() <= perPage {
		return []batch{b}
	}
	for ids := range slices.Chunk(b.remove, perPage) {
		all = append(all, batch{remove: ids})
	}
	for ops := range slices.Chunk(b.update, perPage) {
		all = append(all, batch{update: ops})
	}
	for ops := range slices.Chunk(b.create, perPage) {
		all = append(all, batch{create: ops})
	}
	return all
}

// send makes the requests of a batch. The answer has an item for each operation, in order.
func (w *write) send(ctx context.Context, b batch) (got batchAnswer, err error) {
	if b.size() == 0 {
		return got, nil
	}
	for _, part := range b.parts() {
		body := map[string]any{}
		for name, ops := range map[string][]op{"create": part.create, "update": part.update} {
			var list []map[string]any
			for _, o := range ops {
				if one := maps.Clone(o.body); o.id > 0 {
					one["id"] = o.id
					list = append(list, one)
				} else {
					list = append(list, one)
				}
			}
			if list != nil {
				body[name] = list
			}
		}
		if len(part.remove) > 0 {
			body["delete"] = part.remove
		}
		var some batchAnswer
		path := productPath(w.held.ID) + "/variations/batch"
		if _, err := w.a.call(ctx, http.MethodPost, path, nil, body, &some); err != nil {
			return got, w.unanswered(err)
		}
		if len(some.Create) != len(part.create) || len(some.Update) != len(part.update) {
			return got, w.unanswered(shopadapter.Retry("the shop answered a batch of %d with %d", part.size(),
				len(some.Create)+len(some.Update)+len(some.Delete)))
		}
		got.Create = append(got.Create, some.Create...)
		got.Update = append(got.Update, some.Update...)
		got.Delete = append(got.Delete, some.Delete...)
	}
	return got, nil
}

// mostRounds bounds how often variations are written that change at the same moment.
const mostRounds = 4

// sync brings the variations to what is wanted. What was made is counted once more where another
// request may have made it too: a double loses the younger.
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
func (w *write) structural() bool { return w.unclear == nil }

// differences is what is to be done to the variations.
func (w *write) differences() (b batch, clear []op) {
	for i, v := range w.wanted {
		if w.refused[v.ID] != "" {
			continue
		}
		switch o := w.difference(i, v); {
		case v.Held == nil && w.structural():
			b.create = append(b.create, o)
		case v.Held != nil && len(o.body) > 0:
			b.update = append(b.update, o)
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
	return b, w.inTheWay(b)
}

func noMarks() []any { return []any{metaOf(noteKey, nil), metaOf(detailsKey, nil)} }

// difference is what is to be written of one variant. A new one on a product that is on sale is off
// sale until the shop has confirmed it: PHP writes the status before the price.
func (w *write) difference(place int, v kit.Wanted[heldVariation]) op {
	held, groups, body := v.Held, w.Changed, map[string]any{}
	if held == nil {
		held, groups = &heldVariation{added: true}, shopadapter.AllFields
		body["menu_order"] = orderMark(w.ref.Publication)
	}
	o := op{place: place, id: held.ID, body: body}
	if held.ID == 0 || held.Price == "" {
		groups |= figureGroups
	}
	o.confirms = (held.ID == 0 || held.Price == "" && held.waits) && w.held.Status == "publish"
	w.figures(body, held.figures, v.Variant, groups)
	if !w.structural() {
		return o
	}
	if groups.Has(shopadapter.FieldVariants) || !held.marked || held.waits {
		if string(held.SKU) != v.SKU {
			body["sku"] = v.SKU
		}
		if picks := w.picks(v.Planned); held.ID == 0 || !w.carries(held, v.Planned) {
			body["attributes"] = picks
		}
	}
	var marks []any
	off := held.switchedOff() && held.ID > 0 && !w.ref.Revive
	switch {
	case o.confirms:
		body["status"] = "private"
	case !off && held.Status != "publish":
		body["status"] = "publish"
	}
	waits := o.confirms
	if !held.marked || held.waits != waits {
		marks = append(marks, metaOf(noteKey, markOf(w.ref.Publication, v.ID, w.note.Adopted && held.added, waits)))
	}
	last := readDetails(held.meta(detailsKey))
	if sizes, note, differs := w.sizes(held.figures, w.held.figures, last, v.Variant); differs {
		maps.Copy(body, sizes)
		marks = append(marks, metaOf(detailsKey, note.text()))
	}
	if len(marks) > 0 {
		body["meta_data"] = marks
	}
	return o
}

// figures adds price and stock where they differ.
func (w *write) figures(body map[string]any, held figures, v shopadapter.Variant, groups shopadapter.Fields) {
	if held.Price == text(v.Price) {
		groups &^= shopadapter.FieldPrice
	}
	if held.Managed == "true" && held.Quantity == number(v.Quantity) && string(held.Backorders) == backorders(v) {
		groups &^= shopadapter.FieldStock
	}
	figureBody(body, v, groups)
}

// figureBody is price and stock of a variant as the API accepts them.
func figureBody(body map[string]any, v shopadapter.Variant, groups shopadapter.Fields) {
	if groups.Has(shopadapter.FieldPrice) {
		body["regular_price"] = v.Price
	}
	if groups.Has(shopadapter.FieldStock) {
		body["manage_stock"], body["stock_quantity"], body["backorders"] = true, int64(v.Quantity), backorders(v)
		switch {
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

// A pick is the value that a variation has of an attribute.
type pick struct {
	ID     int64  `json:"id,omitempty"`
	Name   string `json:"name,omitempty"`
	Option string `json:"option"`
}

func (w *write) picks(v kit.Planned) []pick {
	all := make([]pick, 0, len(v.Values))
	for n, value := range v.Values {
		p := pick{ID: attributeID(w.words[n]), Option: value}
		if p.ID == 0 {
			p.Name = w.words[n].Name
		}
		all = append(all, p)
	}
	return all
}

// carries reports whether a variation has a variant's choices, and no other.
func (w *write) carries(held *heldVariation, v kit.Planned) bool {
	if len(held.Attributes) != len(v.Values) {
		return false
	}
	for n, value := range v.Values {
		if held.picked(w.words[n].ID, w.words[n].Name) != plain(value) {
			return false
		}
	}
	return true
}

// inTheWay clears what variations hold that another one is to have: two that exchange their SKUs,
// or their EANs.
func (w *write) inTheWay(b batch) (clear []op) {
	holders := map[string]*heldVariation{}
	for i := range w.variations {
		h := &w.variations[i]
		if h.key == "" {
			continue
		}
		for field, value := range map[string]text{"sku": h.SKU, eanField: h.EAN} {
			if value != "" {
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
				n := readDetails(h.meta(detailsKey))
				n.Last = without(n.Last, eanName)
				bodies[h.ID]["meta_data"] = []any{metaOf(detailsKey, n.text())}
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
	b, clear := w.differences()
	if _, err := w.send(ctx, batch{update: clear}); err != nil {
		return false, err
	}
	got, err := w.send(ctx, b)
	if gone(err) || hasCode(err, codeNoVariation) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	ops, items := slices.Concat(b.create, b.update), slices.Concat(got.Create, got.Update)
	if err := w.withoutEANs(ctx, b, items); err != nil {
		return false, err
	}
	var confirm batch
	for i, o := range ops {
		fine, err := w.outcome(ctx, o, items[i])
		if err != nil {
			return false, err
		}
		again = again || !fine
		if v := w.wanted; fine && o.confirms && items[i].Error == nil {
			confirm.update = append(confirm.update, op{place: o.place, id: items[i].ID, body: map[string]any{
				"status": "publish", "meta_data": []any{
					metaOf(noteKey, markOf(w.ref.Publication, v[o.place].ID, w.note.Adopted && v[o.place].Held.added, false)),
				},
			}})
		}
	}
	for _, item := range got.Delete {
		if item.Error != nil && item.Error.Code != codeNoVariation {
			return false, shopadapter.Retry("the shop does not delete a variation: %s", w.a.refusalOf(*item.Error, 0).Message)
		}
	}
	shown, err := w.send(ctx, confirm)
	if err != nil {
		return false, err
	}
	for _, item := range shown.Update {
		again = again || item.Error != nil
	}
	return again || len(b.create) > 0 && !w.fresh, nil
}

// outcome records what became of an operation. fine is false where the shop holds something else
// than was thought.
func (w *write) outcome(ctx context.Context, o op, item batchItem) (fine bool, err error) {
	if item.Error == nil {
		if item.ID <= 0 || o.id > 0 && item.ID != o.id {
			return false, w.unanswered(shopadapter.Retry("the shop answered a batch with something else than was asked for"))
		}
		if o.place >= 0 && w.wanted[o.place].Held == nil {
			v := w.wanted[o.place]
			w.wanted[o.place].Held = &heldVariation{
				variation: item.variation, key: v.ID, marked: true, added: true, waits: o.confirms,
			}
		}
		return true, nil
	}
	r := w.a.refusalOf(*item.Error, int(item.Error.Data.Status))
	switch {
	case r.Code == codeNoVariation, r.Code == codeNotCreated:
		return false, nil
	case r.Status >= http.StatusInternalServerError || r.Code == "" || o.place < 0:
		return false, shopadapter.Retry("the shop could not write a variation: %s", r.Message)
	case r.Code == codeSKU && r.Resource > 0:
		return w.skuTaken(ctx, o, number(r.Resource))
	}
	w.refused[w.wanted[o.place].ID] = r.Message
	return true, nil
}

// skuTaken judges a variation whose SKU stands elsewhere in the shop.
func (w *write) skuTaken(ctx context.Context, o op, by number) (fine bool, err error) {
	hit, err := w.a.product(ctx, by)
	if err != nil {
		return false, err
	}
	owner, err := w.a.ownerOf(ctx, hit)
	v := w.wanted[o.place]
	switch {
	case err != nil:
		return false, err
	case owner.ID == 0, owner.ID == w.held.ID && hit.ID != owner.ID:
		return false, nil // one of our own, of which the picture was wrong
	case !w.note.Done:
		if w.fresh {
			err = w.a.remove(ctx, w.held.ID)
		}
		if err == nil {
			err = w.foreign(owner, v.SKU)
		}
		return false, err
	}
	w.refused[v.ID] = w.foreign(owner, v.SKU).Message
	return true, nil
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
			b.update = append(b.update, op{place: i, id: v.Held.ID, body: map[string]any{
				"status": "private", "meta_data": []any{
					metaOf(noteKey, markOf(w.ref.Publication, v.ID, w.note.Adopted && v.Held.added, true)),
				},
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
	fresh := false
	for n := range w.words {
		word := &w.words[n]
		if word.ID != "" && len(word.New) > 0 {
			fresh = true
			word.Order, word.New = slices.Concat(word.Order, word.New), nil
		}
	}
	if !fresh {
		return nil
	}
	all := w.heldChoosing()
	for i := range all {
		for _, word := range w.words {
			if all[i].ID > 0 && all[i].ID == attributeID(word) {
				all[i].Options = word.Order
			}
		}
	}
	return w.put(ctx, map[string]any{"attributes": bodies(append(all, w.others()...))})
}
