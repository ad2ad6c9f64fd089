package woocommerce

import (
	"context"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// mostOps is how many operations WooCommerce takes in one batch.
const mostOps = 100

// A held is the variations of the product, as far as they are ours.
type held struct {
	slots map[string]heldSlot // by variant id, those that are wanted
	spare []spare             // those that are not, and doubles
	count int                 // all that the shop listed, ours or not
}

type heldSlot struct {
	slot
	sku string // "" where it is not known
}

type spare struct {
	id  int64
	sku string
}

// fromState is what the state says of the variations.
func (w *write) fromState() held {
	h := held{slots: map[string]heldSlot{}, count: len(w.state.Variants)}
	for id, s := range w.state.Variants {
		if slices.ContainsFunc(w.want.variants, func(v wanted) bool { return v.id == id }) {
			h.slots[id] = heldSlot{slot: s}
		} else {
			h.spare = append(h.spare, spare{id: s.ID})
		}
	}
	slices.SortFunc(h.spare, func(a, b spare) int { return int(a.id - b.id) })
	return h
}

// listVariations reads the variations of the product, those in the trash too where the product was just taken out of it.
func (w *write) listVariations(ctx context.Context) (held, error) {
	all, err := w.readVariations(ctx, "")
	if err != nil {
		return held{}, err
	}
	standing := len(all)
	if w.raised {
		trashed, err := w.readVariations(ctx, "trash")
		if err != nil {
			return held{}, err
		}
		all = append(all, trashed...)
	}
	h := held{slots: map[string]heldSlot{}, count: standing}
	var unmarked []variation
	for _, v := range all {
		id, ours := readVariantStamp(marked(v.Meta), w.ref.Publication)
		if !ours {
			unmarked = append(unmarked, v)
			continue
		}
		isWanted := slices.ContainsFunc(w.want.variants, func(want wanted) bool { return want.id == id })
		if _, double := h.slots[id]; double || !isWanted {
			h.spare = append(h.spare, spare{int64(v.ID), string(v.SKU)})
			continue
		}
		h.slots[id] = heldSlot{slot{int64(v.ID), string(v.Price), heldStock(v.Managed, v.Quantity, v.Backorders), v.rest()}, string(v.SKU)}
	}
	for _, v := range unmarked {
		// A variation without our mark on a product of ours is the merchant's, unless it is for sale under the SKU of a variant that is missing.
		for _, want := range w.want.variants {
			if _, there := h.slots[want.id]; !there && sameSKU(want.sku, string(v.SKU)) {
				h.slots[want.id] = heldSlot{slot{ID: int64(v.ID)}, string(v.SKU)}
				break
			}
		}
	}
	if w.stamp.Adopted && !w.stamp.Done {
		return h, w.adoptable(h, unmarked)
	}
	return h, nil
}

// adoptable refuses to take over a product that has a variation the supplier does not have: it would be left with choices that are gone.
func (w *write) adoptable(h held, unmarked []variation) error {
	for _, v := range unmarked {
		mine := false
		for _, s := range h.slots {
			mine = mine || s.ID == int64(v.ID)
		}
		if !mine {
			return shopadapter.Block("product #%d «%s» cannot be taken over: its variation #%d (SKU %q) is none of the supplier's",
				w.view.ID, w.a.clean(plain(string(w.view.Name))), v.ID, w.a.clean(string(v.SKU)))
		}
	}
	return nil
}

func (w *write) readVariations(ctx context.Context, status string) ([]variation, error) {
	var all []variation
	seen := map[number]bool{}
	for page := 1; ; page++ {
		query := url.Values{
			"per_page": {"100"}, "page": {strconv.Itoa(page)}, "orderby": {"id"}, "order": {"asc"}, "context": {"edit"},
			"_fields": {variationFields}, "include_meta": {metaKey},
		}
		if status != "" {
			query.Set("status", status)
		}
		var some list[variation]
		_, err := w.a.call(ctx, request{
			method: http.MethodGet, path: productPath(int64(w.view.ID)) + "/variations", kind: kindList, query: query,
		}, &some)
		if err != nil {
			return nil, err
		}
		for _, v := range some {
			if v.ID > 0 && !seen[v.ID] {
				seen[v.ID] = true
				all = append(all, v)
			}
		}
		if len(some) < 100 || page == 100 {
			slices.SortFunc(all, func(a, b variation) int { return int(a.ID - b.ID) })
			return all, nil
		}
	}
}

// standing reads the variations and, where some that are wanted are missing, waits until their number stands still: a request that nobody
// waits for any more may still be making them, and nothing keeps the shop from making them twice.
func (w *write) standing(ctx context.Context) (held, error) {
	h, err := w.listVariations(ctx)
	for step := 0; err == nil && len(h.slots) < len(w.want.variants) && step < w.a.patience.steps; step++ {
		if err := pause(ctx, w.a.patience.step); err != nil {
			return held{}, err
		}
		var next held
		if next, err = w.listVariations(ctx); err == nil && next.count == h.count {
			return next, nil
		}
		h = next
	}
	return h, err
}

// rest is the mark of what a variation is besides price and stock.
func (v variation) rest() string {
	options := map[string]string{}
	for _, a := range v.Attributes {
		options[plain(string(a.Name))] = plain(string(a.Option))
	}
	return restMark(string(v.SKU), options, v.Status == "publish")
}

func (v wanted) rest() string {
	options := map[string]string{}
	for _, o := range v.options {
		options[plain(o.Name)] = plain(o.Value)
	}
	return restMark(v.sku, options, true)
}

func restMark(sku string, options map[string]string, onSale bool) string {
	var b strings.Builder
	b.WriteString(strconv.Quote(sku))
	for _, name := range slices.Sorted(maps.Keys(options)) {
		b.WriteString(" " + strconv.Quote(name) + "=" + strconv.Quote(options[name]))
	}
	if !onSale {
		b.WriteString(" off sale")
	}
	return digest(b.String(), 5)
}

// An op is one operation of a batch.
type op struct {
	id      int64 // of the variation; 0: it is to be made
	variant wanted
	body    map[string]any
	after   slot // when it has been carried out
}

// A plan is what is to be done to the variations.
type plan struct {
	clear  []int64 // their SKU stands in the way of another's
	create []op
	update []op
	delete []int64
}

// plan compares what is wanted with what is held. listed: what is held was read just now; otherwise it is what the adapter wrote last.
func (w *write) plan(h held, listed bool) plan {
	var p plan
	spares := slices.Clone(h.spare)
	touched := shopadapter.NoFields
	for _, v := range w.want.variants {
		s, there := h.slots[v.id]
		if !there {
			// A variant that the supplier has made anew keeps its variation, and thereby its SKU.
			i := slices.IndexFunc(spares, func(s spare) bool { return sameSKU(s.sku, v.sku) })
			if i < 0 {
				p.create = append(p.create, w.opFor(v, slot{}, shopadapter.AllFields))
				continue
			}
			s = heldSlot{slot{ID: spares[i].id}, spares[i].sku}
			spares = slices.Delete(spares, i, i+1)
		}
		groups := shopadapter.NoFields
		if s.Rest == "" {
			groups = shopadapter.AllFields
		}
		if w.changed.Has(shopadapter.FieldVariants) && s.Rest != v.rest() {
			groups |= shopadapter.FieldVariants
		}
		if w.changed.Has(shopadapter.FieldPrice) && s.Price != v.price {
			groups |= shopadapter.FieldPrice
		}
		if w.changed.Has(shopadapter.FieldStock) && s.Stock != v.stock() {
			groups |= shopadapter.FieldStock
		}
		if groups != 0 {
			p.update = append(p.update, w.opFor(v, s.slot, groups))
			touched |= groups
		}
	}
	if again := w.changed & figures; !listed && again != 0 && !touched.Any(again) {
		// The supplier changed something, and by what was written last it is there already. The merchant may have changed it since.
		for _, v := range w.want.variants {
			if s, there := h.slots[v.id]; there {
				p.update = append(p.update, w.opFor(v, s.slot, again))
			}
		}
	}
	for _, s := range spares {
		p.delete = append(p.delete, s.id)
	}
	p.clear = inTheWay(p, h)
	return p
}

// inTheWay is the variations that have the SKU another one is about to get, and are to lose it only later in the same batch.
func inTheWay(p plan, h held) []int64 {
	var ids []int64
	for _, o := range slices.Concat(p.create, p.update) {
		for _, s := range h.slots {
			takes := o.body["sku"] != nil && s.ID != o.id && sameSKU(s.sku, o.variant.sku)
			changes := slices.ContainsFunc(p.update, func(u op) bool { return u.id == s.ID && u.body["sku"] != nil })
			if takes && changes && !slices.Contains(ids, s.ID) {
				ids = append(ids, s.ID)
			}
		}
	}
	slices.Sort(ids)
	return ids
}

// opFor is the operation that brings a slot in line with a variant, in the groups given.
func (w *write) opFor(v wanted, s slot, groups shopadapter.Fields) op {
	body := w.figuresOf(v, groups)
	if groups.Has(shopadapter.FieldVariants) {
		attributes := make([]map[string]any, 0, len(v.options))
		for _, o := range v.options {
			attributes = append(attributes, map[string]any{"name": o.Name, "option": o.Value})
		}
		body["sku"], body["attributes"], body["status"] = v.sku, attributes, "publish"
		body["meta_data"] = []map[string]any{{"key": metaKey, "value": variantStamp(w.ref.Publication, v.id)}}
		s.Rest = v.rest()
	}
	if s.ID > 0 {
		body["id"] = s.ID
	}
	w.wrote(&s, v, groups)
	return op{id: s.ID, variant: v, body: body, after: s}
}

// batches cuts a plan into requests. WooCommerce carries out additions before changes before deletions; where that does not all fit into one request,
// deletions come first.
func (p plan) batches() iter.Seq[plan] {
	return func(yield func(plan) bool) {
		if len(p.create)+len(p.update)+len(p.delete) <= mostOps {
			if whole := (plan{create: p.create, update: p.update, delete: p.delete}); len(p.create)+len(p.update)+len(p.delete) > 0 {
				yield(whole)
			}
			return
		}
		for ids := range slices.Chunk(p.delete, mostOps) {
			if !yield(plan{delete: ids}) {
				return
			}
		}
		for ops := range slices.Chunk(p.update, mostOps) {
			if !yield(plan{update: ops}) {
				return
			}
		}
		for ops := range slices.Chunk(p.create, mostOps) {
			if !yield(plan{create: ops}) {
				return
			}
		}
	}
}
