package woocommerce

import (
	"context"
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
		if sameSKU(string(v.SKU), string(w.view.SKU)) {
			v.SKU = "" // a variation without one shows that of its product
		}
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

// standing reads the variations and, where there is something to do, waits until they stand still: a request that nobody waits for any more may
// still be making them, and nothing keeps the shop from making them twice, or from writing the old after the new.
func (w *write) standing(ctx context.Context) (held, error) {
	h, err := w.listVariations(ctx)
	for step := 0; err == nil && w.mayBeMoving(h) && step < w.a.patience.steps; step++ {
		if err := pause(ctx, w.a.patience.step); err != nil {
			return held{}, err
		}
		before := h
		h, err = w.listVariations(ctx)
		if h.count == before.count && maps.Equal(h.slots, before.slots) {
			break
		}
	}
	return h, err
}

// mayBeMoving tells whether a request of the past could still be changing what was read. Without a state every missing variation is suspect.
func (w *write) mayBeMoving(h held) bool {
	return len(h.slots) < len(w.want.variants) || w.state.Doubt != 0 && !w.plan(h, true).empty()
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
