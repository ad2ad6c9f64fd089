package woocommerce

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/stamp"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
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
	sku   string // "" where it is not known
	added bool   // see variantStamp
	dead  bool   // PHP died while it was made
}

type spare struct {
	id    int64
	sku   string
	price string
	added bool
	dead  bool
}

// slot is a spare variation as the place of a wanted one, to be written whole.
func (s spare) slot() heldSlot {
	return heldSlot{slot: slot{ID: s.id, Price: s.price}, sku: s.sku, added: s.added, dead: s.dead}
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

// listVariations reads the variations of the product, those in the trash too where the product was
// just taken out of it.
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
	var unmarked []rest.Variation
	for _, v := range all {
		if words.SameSKU(string(v.SKU), string(w.view.SKU)) {
			v.SKU = "" // a variation without one shows that of its product
		}
		id, added, ours := readVariantStamp(rest.Stamp(v.Meta), w.ref.Publication)
		if !ours && v.Order == orderMark(w.ref.Publication) && rest.Stamp(v.Meta) == "" {
			// PHP died while it was being made: there is the row, and perhaps the SKU and the
			// price.
			h.spare = append(h.spare, spare{id: int64(v.ID), sku: string(v.SKU), added: true, dead: true})
			continue
		}
		if !ours {
			unmarked = append(unmarked, v)
			continue
		}
		isWanted := slices.ContainsFunc(w.want.variants, func(want wanted) bool { return want.id == id })
		if _, double := h.slots[id]; double || !isWanted {
			h.spare = append(h.spare, spare{id: int64(v.ID), sku: string(v.SKU), price: string(v.Price), added: added})
			continue
		}
		h.slots[id] = heldSlot{
			slot{int64(v.ID), string(v.Price), heldStock(v.Managed, v.Quantity, v.Backorders), restOf(v)},
			string(v.SKU),
			added,
			false,
		}
	}
	for _, v := range unmarked {
		// A variation without our mark on a product of ours is the merchant's. The exception is one
		// that is for sale under the SKU of a variant that is missing.
		for _, want := range w.want.variants {
			if _, there := h.slots[want.id]; !there && words.SameSKU(want.sku, string(v.SKU)) {
				h.slots[want.id] = heldSlot{slot: slot{ID: int64(v.ID), Price: string(v.Price)}, sku: string(v.SKU)}
				break
			}
		}
	}
	if w.stamp.Adopted && !w.stamp.Done {
		return h, w.adoptable(h, unmarked)
	}
	return h, nil
}

// adoptable refuses to take over a product that has a variation the supplier does not have: it
// would be left with choices that are gone.
func (w *write) adoptable(h held, unmarked []rest.Variation) error {
	for _, v := range unmarked {
		mine := false
		for _, s := range h.slots {
			mine = mine || s.ID == int64(v.ID)
		}
		if !mine {
			return shopadapter.Block(
				"product #%d «%s» cannot be taken over: its variation #%d (SKU %q) is none of the supplier's",
				w.view.ID,
				w.a.Clean(words.Plain(string(w.view.Name))),
				v.ID,
				w.a.Clean(string(v.SKU)),
			)
		}
	}
	return nil
}

// mostVariationPages bounds the list: ten thousand variations.
const mostVariationPages = 100

func (w *write) readVariations(ctx context.Context, status string) ([]rest.Variation, error) {
	var all []rest.Variation
	seen := map[rest.Number]bool{}
	query := url.Values{"context": {"edit"}, "_fields": {rest.VariationFields}, "include_meta": {rest.StampKey}}
	if status != "" {
		query.Set("status", status)
	}
	for page, err := range rest.Pages[rest.Variation](ctx, w.a.Client, rest.ProductPath(int64(w.view.ID))+"/variations", query, mostVariationPages) {
		if err != nil {
			return nil, err
		}
		for _, v := range page.Items {
			if v.ID > 0 && !seen[v.ID] {
				seen[v.ID] = true
				all = append(all, v)
			}
		}
	}
	slices.SortFunc(all, func(a, b rest.Variation) int { return int(a.ID - b.ID) })
	return all, nil
}

// standing reads the variations and, where there is something to do, waits until they stand still:
// a request whose caller is gone may still be making them. Nothing keeps the shop from making them
// twice, or from writing the old after the new.
func (w *write) standing(ctx context.Context) (held, error) {
	h, err := w.listVariations(ctx)
	for waits := 0; err == nil && w.mayBeMoving(h) && waits < w.a.patience.steps; waits++ {
		if err := step.Pause(ctx, w.a.patience.step); err != nil {
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

// mayBeMoving tells whether a request of the past could still be changing what was read. Without a
// state every missing variation is suspect.
func (w *write) mayBeMoving(h held) bool {
	return len(h.slots) < len(w.want.variants) || w.state.Doubt != 0 && !w.plan(h, true).empty()
}

// orderMark is the position that a variation is made with. WooCommerce writes it with the row,
// before price, options and metadata, so that it tells whose a variation is in whose middle PHP
// died. All of a publication have the same, which leaves them in the order of their ids, behind the
// merchant's own.
func orderMark(publication shopadapter.PublicationID) rest.Number {
	sum := sha256.Sum256([]byte(publication))
	return 1_000_000_000 + rest.Number(binary.BigEndian.Uint32(sum[:4])%1_000_000_000)
}

// restOf is the mark of a variation without its price and stock.
func restOf(v rest.Variation) string {
	options := map[string]string{}
	for _, a := range v.Attributes {
		options[attributeMark(int64(a.ID), string(a.Name))] = words.Plain(string(a.Option))
	}
	return restMark(string(v.SKU), options, v.Status == "publish")
}

// rest is the mark of a variation that is as the variant shall be.
func (w *write) rest(v wanted, onSale bool) string {
	options := map[string]string{}
	for _, o := range w.picked(v) {
		options[attributeMark(o.ID, o.Name)] = words.Plain(o.Option)
	}
	return restMark(v.sku, options, onSale)
}

func attributeMark(id int64, name string) string {
	if id > 0 {
		return "#" + strconv.FormatInt(id, 10)
	}
	return words.Plain(name)
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
	return stamp.Digest(b.String(), 5)
}
