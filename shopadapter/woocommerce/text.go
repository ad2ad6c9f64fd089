package woocommerce

import (
	"context"
	"maps"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/variation"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// heldTexts are the text groups as the product was last seen.
func (w *write) heldTexts() map[shopadapter.Fields]stamp.Hash {
	return map[shopadapter.Fields]stamp.Hash{
		shopadapter.FieldTitle: words.HashTitle(
			string(w.view.Name),
		), shopadapter.FieldDescription: words.HashDescription(string(w.view.Content)),
		shopadapter.FieldCategory: w.a.categories.Hash(w.view.Categories), shopadapter.FieldImages: w.heldPictures(),
	}
}

// remembering is a stamp about to be written that knows what the shop holds now: what was seen, or
// what a write without an answer has put there since. PHP writes the stamp before the text; where
// it dies between the two, the old text is no edit of the merchant's.
func (w *write) remembering(s productStamp) productStamp {
	before := readStamp(w.written)
	if before.ID == "" {
		return s
	}
	said, held := before.texts(), w.heldTexts()
	for group, last := range s.texts() {
		if last.Hash == said[group].Hash && len(w.unheard) == 0 {
			last.Before = said[group].Before
			continue
		}
		may := []stamp.Hash{held[group]}
		for _, sent := range w.unheard {
			may = append(may, sent.texts()[group].Hash)
		}
		last.Instead(may...)
	}
	return s
}

func (w *write) planTexts(put map[string]any) {
	held := w.heldTexts()
	if w.Decide(shopadapter.FieldTitle, held[shopadapter.FieldTitle], words.HashTitle(w.want.title), &w.stamp.Title) {
		put["name"] = w.want.title
	}
	if w.Decide(
		shopadapter.FieldDescription,
		held[shopadapter.FieldDescription],
		words.HashDescription(w.want.description),
		&w.stamp.Description,
	) {
		put["description"] = w.want.description
	}
}

// planCategory leaves a product where it is when the shop has no category for it.
func (w *write) planCategory(ctx context.Context, put map[string]any) error {
	if !w.Changed.Has(shopadapter.FieldCategory) {
		return nil
	}
	held := w.a.categories.Hash(w.view.Categories)
	// a category that the merchant chose stays, and another would stand empty
	id, err := w.categorize(ctx, held.Exact == w.stamp.Category.Exact)
	if err != nil || id == 0 {
		return err
	}
	want := w.a.categories.Hash([]rest.Placement{{ID: rest.Number(id)}})
	if w.Decide(shopadapter.FieldCategory, held, want, &w.stamp.Category) {
		put["categories"] = []map[string]any{{"id": id}}
	}
	return nil
}

func (w *write) planAttributes(put map[string]any) {
	if !w.Changed.Has(shopadapter.FieldVariants) {
		return
	}
	if want := w.want.Attributes(variation.AttributesOf(w.view), w.sold); !variation.Same(
		variation.AttributesOf(w.view), want, true,
	) {
		put["attributes"] = variation.WithMerchants(w.view, want)
	}
}

// shape makes the product one of the right kind, with the right options. While they change it is no
// product that anybody could buy, so it is a draft until the end of the call.
func (w *write) shape(ctx context.Context) error {
	kind := "simple"
	if w.want.variable {
		kind = "variable"
	}
	turned := string(w.view.Type) != kind
	renamed := w.want.variable && !turned && w.Changed.Has(shopadapter.FieldVariants) &&
		!variation.Same(variation.AttributesOf(w.view), w.want.Attributes(variation.AttributesOf(w.view), nil), false)
	if !turned && !renamed {
		return nil
	}
	if turned && w.stamp.Adopted && !w.want.variable {
		// Another type has no variations: WooCommerce would delete the merchant's.
		return shopadapter.Block(
			"product #%d «%s» was your own before it was taken over, and has variations; the supplier's has a single "+
				"variant now: "+
				"give yours another SKU, or delete it, to have one made beside it",
			w.view.ID,
			w.a.Clean(words.Plain(string(w.view.Name))),
		)
	}
	body := map[string]any{"status": "draft", "type": kind}
	if w.want.variable {
		body["attributes"] = variation.WithMerchants(w.view, w.want.Attributes(variation.AttributesOf(w.view), nil))
	} else {
		body["attributes"] = variation.WithMerchants(w.view, nil)
	}
	if turned {
		w.Changed |= shopadapter.FieldVariants | variation.Figures
		w.state.Variants, w.known = nil, false
		if w.want.variable {
			// The supplier's SKU goes over to a variation, and stock is the variations' affair.
			body["sku"], body["manage_stock"], body["regular_price"] = words.KeySKU(w.ref.Publication), false, ""
		} else {
			// PHP puts it on sale before it writes a price
			maps.Copy(body, w.want.Variants[0].Figures(variation.Figures))
		}
	}
	if err := w.put(ctx, body, w.stampAsWritten(), time.Time{}); err != nil {
		return err
	}
	w.turned = turned
	return nil
}

// stampAsWritten is the stamp as the shop holds it: for a write that holds none of the texts that
// the new one speaks of.
func (w *write) stampAsWritten() productStamp {
	if s := readStamp(w.written); s.ID != "" {
		return s
	}
	return w.stamp
}

// planFigures is what differs of a product with nothing to choose.
func (w *write) planFigures(put map[string]any) {
	v := w.want.Variants[0]
	if own := words.EncodeID(v.ID); w.stamp.Variant != own {
		w.Changed |= shopadapter.FieldVariants | variation.Figures // another variant, to be written whole
		w.stamp.Variant = own
	}
	if w.Changed.Has(shopadapter.FieldVariants) && string(w.view.SKU) != w.want.sku {
		put["sku"] = w.want.sku
	}
	if w.Changed.Has(shopadapter.FieldPrice) && string(w.view.Price) != v.Price {
		put["regular_price"] = v.Price
	}
	if w.Changed.Has(shopadapter.FieldStock) &&
		variation.Stock(w.view.Managed, w.view.Quantity, w.view.Backorders) != v.Stock() {
		for name, value := range v.Figures(shopadapter.FieldStock) {
			put[name] = value
		}
	}
	s := variation.Slot{
		ID:    int64(w.view.ID),
		Price: string(w.view.Price),
		Stock: variation.Stock(w.view.Managed, w.view.Quantity, w.view.Backorders),
	}
	s.Note(v, w.Changed)
	w.state.Variants = map[string]variation.Slot{v.ID: s}
}

// prepare writes the price, and the SKU by which a lost store finds the product, before the request
// that puts it on sale. PHP writes the row with the status first.
func (w *write) prepare(ctx context.Context, put map[string]any) error {
	unpriced := put["regular_price"] != nil && w.view.Price == ""
	if w.view.Status == "publish" || !unpriced && put["sku"] == nil {
		return nil
	}
	first := map[string]any{}
	for _, name := range []string{"sku", "regular_price", "manage_stock", "stock_quantity", "backorders", "stock_status"} {
		if value, ok := put[name]; ok {
			first[name] = value
			delete(put, name)
		}
	}
	return w.put(ctx, first, w.stampAsWritten(), time.Time{})
}
