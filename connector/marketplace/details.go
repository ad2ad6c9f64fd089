package marketplace

import (
	"encoding/json"
	"slices"
)

// productDetails and variantDetails are the fields of the specification. A variant's SKU tells which
// variant of the listing it is.
func productDetails() []string {
	return []string{"brand", "weight", "length", "width", "height", "diameter", "volume"}
}

func variantDetails() []string {
	return []string{
		"sku", "brand", "weight", "length", "width", "height", "diameter", "volume",
		"caseQuantity", "madeIn", "leadTime", "availableAt", "tags", "filterMaterial",
	}
}

// variantDetails is those that this server has, nil where they could not be told apart.
func (d Dialect) variantDetails() []string {
	fields := d.has("variants", variantDetails()...)
	if d.lacks["product.variants"] || len(fields) < 2 || fields[0] != "sku" {
		return nil
	}
	return fields
}

// A readProduct is a listing's product as it is read.
type readProduct struct {
	id       string
	own      readDetails
	variants soft[*pageOf[readDetails]]
}

func (p *readProduct) UnmarshalJSON(data []byte) error {
	var fresh struct {
		ID       string
		Variants soft[*pageOf[readDetails]]
	}
	if err := json.Unmarshal(data, &fresh); err != nil {
		return err
	}
	*p = readProduct{id: fresh.ID, variants: fresh.Variants}
	return json.Unmarshal(data, &p.own)
}

// A readDetails is the details of a product or of a variant as they are read. whole is false where
// one of them has a shape that cannot be read.
type readDetails struct {
	SKU string `json:"sku"`
	Details
	whole bool
}

func (d *readDetails) UnmarshalJSON(data []byte) error {
	type plain readDetails
	var fresh plain
	err := json.Unmarshal(data, &fresh)
	if err != nil && !isShape(err) {
		return err
	}
	*d = readDetails(fresh)
	// what is null in a list is read as ""
	d.whole = err == nil && !slices.Contains(slices.Concat(d.Tags, d.Materials), "")
	return nil
}

// readProduct records what the first page says of the product itself. One that is null, for want of
// the right to see it say, says nothing.
func (l *Listing) readProduct(w *contentPage) {
	product := w.Listing.Product.value
	if product == nil {
		product = &readProduct{}
	}
	l.ProductID = product.id
	if l.Details {
		l.BySKU, l.Brand, l.Size = map[string]Details{}, product.own.Brand, product.own.Details
		l.unread(UnreadDetails, w.spared || !product.own.whole)
	}
}

// addDetails adds a page of the product's variants, and returns the span of the next. A page that
// cannot be read, whole or in part, or that leads nowhere, leaves the details unread.
func (l *Listing) addDetails(w *contentPage) (next span) {
	if !l.Details || w.asked.details.first == 0 {
		return span{}
	}
	var page *pageOf[readDetails]
	if product := w.Listing.Product.value; product != nil {
		page = product.variants.value
	}
	l.unread(UnreadDetails, w.spared || page == nil || page.broken())
	items, _ := page.items()
	for _, d := range items {
		l.unread(UnreadDetails, !d.whole)
		if _, twice := l.BySKU[d.SKU]; d.SKU == "" || twice {
			continue
		}
		l.BySKU[d.SKU] = d.Details
		if l.Brand == "" {
			l.Brand = d.Brand
		}
	}
	next, err := page.goesOn(w.asked.details)
	l.unread(UnreadDetails, err != nil)
	return next
}
