package variation

import (
	"strconv"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// Figures are the groups that a shop may be given without the rest of a product.
const Figures = shopadapter.FieldPrice | shopadapter.FieldStock

// A Wanted is a variant as the shop shall hold it.
type Wanted struct {
	ID         string
	SKU        string
	Price      string
	quantity   int64
	backorders string
	Options    []string // a value for each attribute to choose by, in the supplier's words
}

// Of is a variant as the shop shall hold it, but for its options.
func Of(v shopadapter.Variant) Wanted {
	w := Wanted{ID: v.ID, SKU: words.CleanSKU(v.SKU), Price: v.Price, quantity: int64(v.Quantity), backorders: "no"}
	if v.Backorders {
		w.backorders = "yes"
	}
	return w
}

func (v Wanted) status() string {
	switch {
	case v.quantity > 0:
		return "instock"
	case v.backorders == "yes":
		return "onbackorder"
	}
	return "outofstock"
}

// Stock is the mark of a variant's stock, as a slot has it.
func (v Wanted) Stock() string { return stockMark(v.quantity, v.backorders) }

// Figures is the price and the stock of a variant, as far as they are among the groups.
func (v Wanted) Figures(groups shopadapter.Fields) map[string]any {
	body := map[string]any{}
	if groups.Has(shopadapter.FieldPrice) {
		body["regular_price"] = v.Price
	}
	if groups.Has(shopadapter.FieldStock) {
		body["manage_stock"], body["stock_quantity"], body["backorders"] = true, v.quantity, v.backorders
		// Where stock management is switched off for the whole shop this is all that counts;
		// elsewhere it follows from the quantity.
		body["stock_status"] = v.status()
	}
	return body
}

func stockMark(quantity int64, backorders string) string {
	switch backorders {
	case "no":
		return strconv.FormatInt(quantity, 10)
	case "yes":
		return strconv.FormatInt(quantity, 10) + "b"
	}
	return strconv.FormatInt(quantity, 10) + backorders
}

// Stock is the mark of a stock as the shop holds it, "" where it is not managed.
func Stock(managed rest.Text, quantity rest.Number, backorders rest.Text) string {
	if managed != "true" {
		return ""
	}
	return stockMark(int64(quantity), string(backorders))
}
