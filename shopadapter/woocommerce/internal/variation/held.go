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
	"sort"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// A Set is whose the variations of a product are, and what they are told apart by.
type Set struct {
	Publication shopadapter.PublicationID
	Match       []skeleton.Match  // the attributes to choose by, as the shop has them
	Last        map[int64]Written // what was last written, as far as it is known, by the ids of variations
	// by the id of a variation: the variant that it was, also where somebody has deleted its stamp; nil
	// where nobody asks for such
	Unstamped map[int64]string
	// Details is what to write of a variation's weight, sizes and EAN, besides what it is and costs
	Details func(held Held, v skeleton.Planned) map[string]any
}

// A Held is a variation of ours as the shop holds it.
type Held struct {
	Written
	Key   string // the id of its variant
	Added bool   // see Stamp
	Other bool   // it has not been this variant's yet
	waits bool   // its stamp says so, see Waiting
	sku   string // "" where it is not known
	dead  bool   // PHP died while it was made
	Sizes rest.Sizes
	Note  string // of the last write of them, see package detail
}

// SwitchedOff reports whether the merchant has switched it off.
func (h Held) SwitchedOff() bool { return saleOf(h.Form) == Off }

// deadKey is the key of a variation that PHP died over.
const deadKey = "\x00"

// Known is what a State says of the variations.
func Known(last map[string]Written) (list []Held) {
	for id, one := range last {
		list = append(list, Held{Written: one, Key: id})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].ID < list[j].ID })
	return list
}

// Sort picks the variations that are ours among all of a product, and gives each the variant that
// it is, or that it becomes. sku is the product's. foreign are the merchant's.
func (set *Set) Sort(
	all []rest.Variation,
	sku string,
	wanted []skeleton.Planned,
) (list []Held, foreign []rest.Variation) {
	found := map[string]bool{} // variants
	for _, v := range all {
		if words.SameSKU(string(v.SKU), sku) {
			v.SKU = "" // a variation without one shows that of its product
		}
		h := Held{sku: string(v.SKU), Sizes: v.Sizes, Note: rest.Note(v.Meta)}
		switch key, added, ours := ReadStamp(rest.Stamp(v.Meta), set.Publication); {
		case ours:
			h.Written = Written{
				int64(v.ID), string(v.Price), Stock(v.Managed, v.Quantity, v.Backorders),
				string(set.sale(v)) + formOf(v),
			}
			h.Key, h.Added, h.waits, found[key] = key, added, waits(rest.Stamp(v.Meta)), true
		case set.Unstamped[int64(v.ID)] != "" && rest.Stamp(v.Meta) == "":
			h.Written, h.Key = Written{ID: int64(v.ID), Price: string(v.Price)}, set.Unstamped[int64(v.ID)]
			h.Added, found[h.Key] = v.Order == orderMark(set.Publication), true
		case v.Order == orderMark(set.Publication) && rest.Stamp(v.Meta) == "":
			// PHP died while it was being made: there is the row, and perhaps the SKU and the
			// price.
			h.Written, h.Key, h.Added, h.dead = Written{ID: int64(v.ID)}, deadKey, true, true
		default:
			foreign = append(foreign, v)
			continue
		}
		list = append(list, h)
	}
	for _, want := range wanted {
		if found[want.ID] {
			continue
		}
		same := func(sku string) bool { return words.SameSKU(want.SKU, sku) }
		// A variation without our mark on a product of ours is the merchant's. The exception is one
		// that is for sale under the SKU of a variant that is missing.
		if i := slices.IndexFunc(foreign, func(v rest.Variation) bool { return same(string(v.SKU)) }); i >= 0 {
			v := foreign[i]
			list = append(list, Held{
				Written: Written{ID: int64(v.ID), Price: string(v.Price)}, Key: want.ID, sku: string(v.SKU),
				Sizes: v.Sizes, Note: rest.Note(v.Meta),
			})
			foreign = slices.Delete(foreign, i, i+1)
			continue
		}
		// A variant that the supplier has made anew keeps its variation, and thereby its SKU.
		spare := func(h Held) bool { return same(h.sku) && !wants(wanted, h.Key) }
		if i := slices.IndexFunc(list, spare); i >= 0 {
			list[i].Written = Written{ID: list[i].ID, Price: list[i].Price}
			list[i].Key, list[i].Other = want.ID, true
		}
	}
	return list, foreign
}

// mostVariationPages bounds the list: ten thousand variations.
const mostVariationPages = 100

// Read lists the variations of a product, by their ids. status is "" for all that are not in the
// trash.
func Read(ctx context.Context, c *rest.Client, product int64, status string) ([]rest.Variation, error) {
	var all []rest.Variation
	seen := map[rest.Number]bool{}
	query := url.Values{"context": {"edit"}, "_fields": {rest.VariationFields}, "include_meta": {rest.MetaKeys}}
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
	sort.Slice(all, func(i, j int) bool { return all[i].ID < all[j].ID })
	return all, nil
}
