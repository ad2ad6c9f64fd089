package woocommerce

import (
	"iter"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// An op is one operation of a batch.
type op struct {
	id      int64 // of the variation; 0: it is to be made
	variant wanted
	body    map[string]any
	after   slot // when it has been carried out
}

// A plan is what is to be done to the variations.
type plan struct {
	clear   []int64 // their SKU stands in the way of another's
	create  []op
	update  []op
	delete  []int64
	release []int64 // the merchant's own that the supplier no longer has: they leave the sale and lose our stamp
}

// plan compares what is wanted with what is held. listed: held was read just now; otherwise it is
// the adapter's last write.
func (w *write) plan(h held, listed bool) plan {
	var p plan
	spares := slices.Clone(h.spare)
	touched := shopadapter.NoFields
	for _, v := range w.want.variants {
		s, there := h.slots[v.id]
		if !there {
			// A variant that the supplier has made anew keeps its variation, and thereby its SKU.
			i := slices.IndexFunc(spares, func(s spare) bool { return words.SameSKU(s.sku, v.sku) })
			if i < 0 {
				p.create = append(p.create, w.opFor(v, heldSlot{}, shopadapter.AllFields))
				continue
			}
			s = spares[i].slot()
			spares = slices.Delete(spares, i, i+1)
		}
		groups := shopadapter.NoFields
		if s.Rest == "" {
			groups = shopadapter.AllFields
		}
		// the last call may have left it private
		if (w.Changed.Has(shopadapter.FieldVariants) || w.Unsure) && s.Rest != w.rest(v, true) {
			groups |= shopadapter.FieldVariants
		}
		if w.Changed.Has(shopadapter.FieldPrice) && s.Price != v.price {
			groups |= shopadapter.FieldPrice
		}
		if w.Changed.Has(shopadapter.FieldStock) && s.Stock != v.stock() {
			groups |= shopadapter.FieldStock
		}
		// a call that the caller did not see the end of may have written something else
		if !listed && !w.ref.OnSale && !w.Unsure && w.odd == "" {
			groups |= w.Changed & figures
		}
		if groups != 0 {
			p.update = append(p.update, w.opFor(v, s, groups))
			touched |= groups
		}
	}
	if again := w.Changed & figures; !listed && w.odd == "" && again != 0 && !touched.Any(again) {
		// The supplier changed something, and by what was written last it is there already. The
		// merchant may have changed it since.
		for _, v := range w.want.variants {
			if s, there := h.slots[v.id]; there {
				p.update = append(p.update, w.opFor(v, s, again))
			}
		}
	}
	for _, s := range spares {
		if w.stamp.Adopted && !s.added {
			p.release = append(p.release, s.id)
			continue
		}
		p.delete = append(p.delete, s.id)
	}
	p.clear = inTheWay(p, h)
	return p
}

// inTheWay is the variations that have the SKU another one is about to get, and are to lose it only
// later in the same batch.
func inTheWay(p plan, h held) []int64 {
	changes := map[int64]bool{}
	for _, u := range p.update {
		changes[u.id] = u.body["sku"] != nil
	}
	holders := map[string]int64{}
	for _, s := range h.slots {
		if s.sku != "" && changes[s.ID] {
			holders[strings.ToLower(s.sku)] = s.ID
		}
	}
	var ids []int64
	for _, o := range slices.Concat(p.create, p.update) {
		if holder := holders[strings.ToLower(o.variant.sku)]; holder != 0 && holder != o.id && o.body["sku"] != nil {
			ids = append(ids, holder)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// opFor is the operation that brings a slot in line with a variant, in the groups given.
func (w *write) opFor(v wanted, h heldSlot, groups shopadapter.Fields) op {
	s := h.slot
	body := w.figuresOf(v, groups)
	if groups.Has(shopadapter.FieldVariants) {
		body["sku"], body["attributes"], body["status"] = v.sku, w.picked(v), "publish"
		if s.Rest == "" { // it is new, or does not carry this variant's stamp
			value := variantStamp(w.ref.Publication, v.id, w.stamp.Adopted && (s.ID == 0 || h.added))
			body["meta_data"] = []map[string]any{{"key": rest.StampKey, "value": value}}
		}
		s.Rest = w.rest(v, true)
	}
	if s.ID > 0 {
		body["id"] = s.ID
	} else {
		body["menu_order"] = orderMark(w.ref.Publication)
	}
	if _, puts := body["status"]; puts && (s.ID == 0 || h.dead || h.Price == "") && w.view.Status == "publish" {
		// PHP writes the row before the price. On a product that is on sale a variation is put on
		// sale once it is known to have one.
		body["status"], s.Rest = "private", w.rest(v, false)
	}
	w.wrote(&s, v, groups)
	return op{id: s.ID, variant: v, body: body, after: s}
}

// chooses tells whether the plan gives a variation its attributes.
func (p plan) chooses() bool {
	return slices.ContainsFunc(
		slices.Concat(p.create, p.update),
		func(o op) bool { return o.body["attributes"] != nil },
	)
}

func (p plan) empty() bool { return len(p.create)+len(p.update)+len(p.delete)+len(p.release) == 0 }

// batches cuts a plan into requests. WooCommerce carries out additions before changes before
// deletions; where that does not all fit into one request, deletions come first.
func (p plan) batches() iter.Seq[plan] {
	return func(yield func(plan) bool) {
		if len(p.create)+len(p.update)+len(p.delete) <= mostOps {
			if len(p.create)+len(p.update)+len(p.delete) > 0 {
				yield(p)
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
