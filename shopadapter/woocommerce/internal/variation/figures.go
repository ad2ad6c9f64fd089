package variation

import (
	"strconv"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
)

// Figures are the groups that a shop may be given without the remainder of a product.
const Figures = shopadapter.FieldPrice | shopadapter.FieldStock

// FiguresOf is the price and the stock of a variant, as far as they are among the groups.
func FiguresOf(v shopadapter.Variant, groups shopadapter.Fields) map[string]any {
	body := map[string]any{}
	if groups.Has(shopadapter.FieldPrice) {
		body["regular_price"] = v.Price
	}
	if groups.Has(shopadapter.FieldStock) {
		body["manage_stock"], body["stock_quantity"], body["backorders"] = true, int64(v.Quantity), backorders(v)
		// Where stock management is switched off for the whole shop this is all that counts;
		// elsewhere it follows from the quantity.
		body["stock_status"] = status(v)
	}
	return body
}

func backorders(v shopadapter.Variant) string {
	if v.Backorders {
		return "yes"
	}
	return "no"
}

func status(v shopadapter.Variant) string {
	switch {
	case v.Quantity > 0:
		return "instock"
	case v.Backorders:
		return "onbackorder"
	}
	return "outofstock"
}

// StockOf is the mark of a variant's stock, as a Written has it.
func StockOf(v shopadapter.Variant) string { return stockMark(int64(v.Quantity), backorders(v)) }

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
