package woocommerce

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// A heldVariation is a variation as the shop holds it, and whose it is.
type heldVariation struct {
	figures
	mark    mark
	key     string // the id of the variant that it is; "" for one of the merchant's
	settled bool   // it has the mark
	// it is off sale of the adapter's doing: its mark says so, or PHP died over it before its mark was there
	waits bool
}

// switchedOff reports whether the merchant took it off sale. It stays so, whatever is written.
func (v *heldVariation) switchedOff() bool { return v.ID > 0 && v.Status == "private" && !v.waits }

// picked is the value of a variation for an attribute.
func (v *heldVariation) picked(id, name string) string {
	for _, a := range v.Attributes {
		if a.ID > 0 && idText(a.ID) == id || a.ID == 0 && id == "" && fold(plain(string(a.Name))) == fold(name) {
			return plain(string(a.Option))
		}
	}
	return ""
}

// nobody is the key of a variation that PHP died over, unless its SKU tells whose it is.
const nobody = "\x00"

// orderMark is the menu_order of a variation that the adapter makes. It stands in the row, which
// PHP writes before the metadata.
func orderMark(publication shopadapter.PublicationID) number {
	sum := sha256.Sum256([]byte(publication))
	return 1_000_000_000 + number(binary.BigEndian.Uint32(sum[:4])%1_000_000_000)
}

// readVariations reads the product's variations and says whose they are. Where PHP may still be at
// work on a batch that was not answered, it waits until they stand still.
func (w *write) readVariations(ctx context.Context) error {
	moving := stillWorking(w.state.Unanswered) || w.Own && w.origin != madeNow
	for waits, before := 0, ""; ; waits++ {
		all, err := w.listVariations(ctx, "")
		if err == nil && w.origin == restoredNow {
			var trashed []figures
			trashed, err = w.listVariations(ctx, "trash")
			all = append(all, trashed...)
		}
		if err != nil {
			return err
		}
		slices.SortFunc(all, func(a, b figures) int { return int(a.ID - b.ID) })
		all = slices.CompactFunc(all, func(a, b figures) bool { return a.ID == b.ID })
		now := fmt.Sprint(all)
		if !moving || now == before || waits == w.a.patience.steps {
			w.state.Unanswered = 0
			return w.sort(all)
		}
		before = now
		if err := step.Pause(ctx, w.a.patience.step); err != nil {
			return err
		}
	}
}

func (w *write) listVariations(ctx context.Context, status string) ([]figures, error) {
	query := asking("context", "edit", "_fields", variationFields, "include_meta", noteKey, "orderby", "id",
		"order", "asc")
	if status != "" {
		query.Set("status", status)
	}
	return readAll[figures](ctx, w.a.client, productPath(w.held.ID)+"/variations", query)
}

// sort says whose the variations are. A variant without one claims the one that has its SKU: the
// merchant's, or one of ours that is wanted no longer.
func (w *write) sort(all []figures) error {
	w.variations = nil
	found, wanted := map[string]bool{}, map[string]bool{}
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
			h.key, h.mark.Added, h.waits = nobody, true, true
		}
		found[h.key] = true
		w.variations = append(w.variations, h)
	}
	for _, p := range w.planned {
		wanted[p.ID] = true
	}
	for _, want := range w.planned {
		var free *heldVariation
		for i := range w.variations {
			h := &w.variations[i]
			if !found[want.ID] && !wanted[h.key] && sameSKU(want.SKU, string(h.SKU)) && (free == nil || h.key == "") {
				free = h
			}
		}
		if free != nil {
			free.key, free.settled = want.ID, false
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

// match gives each planned variant the variation that the shop holds of it.
func (w *write) match() {
	w.wanted, w.surplus = kit.Match(w.planned, w.variations,
		func(h *heldVariation) string { return h.key }, func(*heldVariation, kit.Planned) bool { return true })
}

// picks are the values that a variation is to have of the attributes.
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

// carries reports whether a variation has a variant's choices, and no other.
func (w *write) carries(held *heldVariation, v kit.Planned) bool {
	for n, value := range v.Values {
		if held.picked(w.words[n].ID, w.words[n].Name) != plain(value) {
			return false
		}
	}
	return len(held.Attributes) == len(v.Values)
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
