// Package variation says what is to be done to the variations of a product: it knows them again,
// compares them with what is wanted, and cuts the difference into batches. It reads and sends, and
// decides nothing about the product.
//
// A variation is known by the stamp in its metadata. One that PHP died over has none, and is known
// by its menu_order, which WooCommerce writes with the row. Its SKU proves nothing, and WooCommerce
// makes two of one SKU where two requests arrive at the same moment. A batch takes a hundred
// operations, additions before changes before deletions. On a product that is on sale a variation
// is made private, and put on sale once it is known to have a price.
//
// The attributes of a product and their values are the merchant's to rename, and to make global. A
// variation that carries another name than its product offers fits every choice, and the page then
// sells the first one. So each variation is written under the names that the product has now. State
// holds what the last write called them; what is gone since is found again by the variations, each
// of which belongs to a variant of the supplier's (package shopadapter/internal/choice). Where that
// does not tell, prices and stock alone are written, and the publication is blocked. A new value of
// a global attribute is added to the product first, which makes its term. Values of the merchant's
// own variations stay offered.
package variation

import (
	"context"
	"net/url"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/choice"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// A Set is the variations that a product is to have, and what they are told apart by.
type Set struct {
	Publication shopadapter.PublicationID
	Variants    []Wanted
	Options     []choice.Axis  // the attributes to choose by, in the supplier's words
	Match       []choice.Match // and as the shop has them
}

// A Held is the variations of the product, as far as they are ours.
type Held struct {
	Slots map[string]HeldSlot // by variant id, those that are wanted
	Spare []Spare             // those that are not, and doubles
	Count int                 // all that the shop listed, ours or not
}

// A HeldSlot is a variation of ours as the shop holds it.
type HeldSlot struct {
	Slot
	sku   string // "" where it is not known
	added bool   // see Stamp
	dead  bool   // PHP died while it was made
}

// A Spare is one of ours that no variant is found in.
type Spare struct {
	ID    int64
	sku   string
	price string
	Added bool
	dead  bool
}

// slot is a spare variation as the place of a wanted one, to be written whole.
func (s Spare) slot() HeldSlot {
	return HeldSlot{Slot: Slot{ID: s.ID, Price: s.price}, sku: s.sku, added: s.Added, dead: s.dead}
}

// Known is what a State says of the variations.
func (set *Set) Known(slots map[string]Slot) Held {
	h := Held{Slots: map[string]HeldSlot{}, Count: len(slots)}
	for id, one := range slots {
		if set.wants(id) {
			h.Slots[id] = HeldSlot{Slot: one}
		} else {
			h.Spare = append(h.Spare, Spare{ID: one.ID})
		}
	}
	slices.SortFunc(h.Spare, func(a, b Spare) int { return int(a.ID - b.ID) })
	return h
}

// Sort puts variations in their places. sku is the product's, and standing is how many of them are
// not in the trash. unmarked are those that do not carry our stamp.
func (set *Set) Sort(all []rest.Variation, sku string, standing int) (h Held, unmarked []rest.Variation) {
	h = Held{Slots: map[string]HeldSlot{}, Count: standing}
	for _, v := range all {
		if words.SameSKU(string(v.SKU), sku) {
			v.SKU = "" // a variation without one shows that of its product
		}
		id, added, ours := ReadStamp(rest.Stamp(v.Meta), set.Publication)
		if !ours && v.Order == orderMark(set.Publication) && rest.Stamp(v.Meta) == "" {
			// PHP died while it was being made: there is the row, and perhaps the SKU and the
			// price.
			h.Spare = append(h.Spare, Spare{ID: int64(v.ID), sku: string(v.SKU), Added: true, dead: true})
			continue
		}
		if !ours {
			unmarked = append(unmarked, v)
			continue
		}
		isWanted := set.wants(id)
		if _, double := h.Slots[id]; double || !isWanted {
			h.Spare = append(h.Spare, Spare{ID: int64(v.ID), sku: string(v.SKU), price: string(v.Price), Added: added})
			continue
		}
		h.Slots[id] = HeldSlot{
			Slot{int64(v.ID), string(v.Price), Stock(v.Managed, v.Quantity, v.Backorders), restOf(v)},
			string(v.SKU),
			added,
			false,
		}
	}
	for _, v := range unmarked {
		// A variation without our mark on a product of ours is the merchant's. The exception is one
		// that is for sale under the SKU of a variant that is missing.
		for _, want := range set.Variants {
			if _, there := h.Slots[want.ID]; !there && words.SameSKU(want.SKU, string(v.SKU)) {
				h.Slots[want.ID] = HeldSlot{Slot: Slot{ID: int64(v.ID), Price: string(v.Price)}, sku: string(v.SKU)}
				break
			}
		}
	}
	return h, unmarked
}

// mostVariationPages bounds the list: ten thousand variations.
const mostVariationPages = 100

// Read lists the variations of a product, by their ids. status is "" for all that are not in the
// trash.
func Read(ctx context.Context, c *rest.Client, product int64, status string) ([]rest.Variation, error) {
	var all []rest.Variation
	seen := map[rest.Number]bool{}
	query := url.Values{"context": {"edit"}, "_fields": {rest.VariationFields}, "include_meta": {rest.StampKey}}
	if status != "" {
		query.Set("status", status)
	}
	for page, err := range rest.Pages[rest.Variation](ctx, c, rest.ProductPath(product)+"/variations", query,
		mostVariationPages) {
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
