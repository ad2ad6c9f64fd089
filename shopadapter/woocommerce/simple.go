package woocommerce

import (
	"context"
	"maps"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/variation"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// itself is a simple product, as its only variant.
func (w *write) itself() variation.Written {
	return variation.Written{
		ID:    int64(w.view.ID),
		Price: string(w.view.Price),
		Stock: variation.Stock(w.view.Managed, w.view.Quantity, w.view.Backorders),
	}
}

// planFigures adds to the fields what differs of a simple product.
func (w *write) planFigures() {
	v, s := w.Planned[0], w.itself()
	if own := words.EncodeID(v.ID); w.stamp.Variant != own {
		w.Changed |= shopadapter.FieldVariants | variation.Figures // another variant, to be written whole
		w.stamp.Variant = own
	}
	if sku := w.sku(); w.Changed.Has(shopadapter.FieldVariants) && string(w.view.SKU) != sku {
		w.fields["sku"] = sku
	}
	if w.Changed.Has(shopadapter.FieldPrice) && s.Price != v.Price {
		w.fields["regular_price"] = v.Price
	}
	if w.Changed.Has(shopadapter.FieldStock) && s.Stock != variation.StockOf(v.Variant) {
		maps.Copy(w.fields, variation.FiguresOf(v.Variant, shopadapter.FieldStock))
	}
	s.Wrote(v.Variant, w.Changed)
	w.Variants[0].Held = &variation.Held{Written: s, Key: v.ID}
}

// prepare writes the price, and the SKU by which a lost store finds the product, before the request
// that puts it on sale. PHP writes the row with the status first.
func (w *write) prepare(ctx context.Context) error {
	unpriced := w.fields["regular_price"] != nil && w.view.Price == ""
	if w.view.Status == "publish" || !unpriced && w.fields["sku"] == nil {
		return nil
	}
	first := map[string]any{}
	for _, name := range []string{"sku", "regular_price", "manage_stock", "stock_quantity", "backorders", "stock_status"} {
		if value, ok := w.fields[name]; ok {
			first[name] = value
			delete(w.fields, name)
		}
	}
	return w.put(ctx, first, w.stampAsWritten(), time.Time{})
}
