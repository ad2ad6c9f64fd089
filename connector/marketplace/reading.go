package marketplace

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// productDetails and variantDetails are the fields of the specification. A variant's SKU tells which
// variant of the listing it is.
func productDetails() []string {
	return []string{"brand", "weight", "length", "width", "height", "diameter", "volume"}
}

func variantDetails() []string {
	return append([]string{"sku"},
		append(productDetails(), "caseQuantity", "madeIn", "leadTime", "availableAt", "tags", "filterMaterial")...)
}

// variantDetails is those that this server has, nil where they could not be told apart.
func (d Dialect) variantDetails() []string {
	fields := d.has("variants", variantDetails()...)
	if d.lacks["product.variants"] || len(fields) < 2 || fields[0] != "sku" {
		return nil
	}
	return fields
}

// A contentPage is one page of a publication as it is read, with what was asked for.
type contentPage struct {
	Publication
	Listing *readListing `json:"listing"`

	asked     pages
	languages []string
	detailed  bool // details were asked for
	spared    bool // the answer lacks the product, in part or at all
	original  bool // pictures were asked for as the supplier gave them
}

// A readListing is a listing as it is read. An essential field whose shape cannot be read fails the
// reading. A soft one is named in Listing.Unread, and the shop keeps what was last written of it.
type readListing struct {
	ID           string
	Translations map[string]*Translation
	Variants     *pageOf[readVariant]

	Category soft[*Category]
	Shipping json.RawMessage `json:"dropshippingShippingDetails"`
	Returns  any             `json:"dropshippingReturns"`
	Images   soft[*pageOf[struct{ OriginalURL, TransformedURL string }]]
	Product  soft[*readProduct]
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

// A reading puts the pages of a publication together.
type reading struct {
	Publication
	seen map[string]bool // ids of variants
}

func (w *contentPage) begin(of Expected) *reading {
	whole := &reading{w.Publication, map[string]bool{}}
	whole.ID, whole.Status, whole.Listing = of.ID, strings.ToLower(w.Status), nil
	whole.Languages = slices.Clone(w.languages)
	if w.Listing == nil {
		return whole
	}
	l := &Listing{ID: w.Listing.ID, Translations: map[string]Translation{}, Details: w.detailed}
	for language, t := range w.Listing.Translations {
		if t != nil {
			l.Translations[strings.ToLower(language)] = *t
		}
	}
	switch said := w.Listing.Returns.(type) {
	case nil:
	case string, bool:
		l.Returns = fmt.Sprint(said)
	default:
		l.unread(UnreadReturns, true)
	}
	l.unread(UnreadCategory, w.Listing.Category.odd)
	if c := w.Listing.Category.value; c != nil {
		l.Category = *c
		l.unread(UnreadCategory, c.Path+c.Name == "") // other fields than those asked for
	}
	l.readShipping(w.Listing.Shipping)
	product := w.Listing.Product.value
	if product == nil { // for want of the right to see it say
		product = &readProduct{}
	}
	if l.ProductID = product.id; l.Details {
		l.BySKU, l.Brand, l.Size = map[string]Details{}, product.own.Brand, product.own.Details
		l.unread(UnreadDetails, w.spared || !product.own.whole)
	}
	whole.Listing = l
	return whole
}

func (l *Listing) readShipping(raw json.RawMessage) {
	if isNull(raw) {
		return
	}
	var list []soft[Shipping]
	if json.Unmarshal(raw, &list) != nil {
		list = make([]soft[Shipping], 1)
		_ = json.Unmarshal(raw, &list[0]) //nolint:errcheck // a soft value is odd instead
	}
	for _, item := range list {
		l.unread(UnreadShipping, item.value == Shipping{})
		if item.value != (Shipping{}) {
			l.Shipping = append(l.Shipping, item.value)
		}
	}
}

// add adds a page. In next, each connection that goes on has first 1 and its cursor.
func (whole *reading) add(w *contentPage) (next pages, err error) {
	l := whole.Listing
	if l == nil {
		return next, nil
	}
	variants, images := w.Listing.Variants, w.Listing.Images
	if missing := w.asked.goOn(); missing && (w.asked.variants.first > 0 && variants == nil ||
		w.asked.images.first > 0 && images.value == nil && !images.odd) {
		return next, errors.New("a page that was asked for is not there") // on the first page there are none then
	}
	items, _ := variants.items()
	for _, v := range items {
		if !whole.seen[v.ID] { // a server that pages by offset may repeat one at a page's edge
			whole.seen[v.ID] = true
			l.Variants = append(l.Variants, v.Variant)
			l.unread(UnreadEAN, v.oddEAN)
		}
	}
	l.unread(UnreadImages, images.odd || images.value.broken())
	pictures, _ := images.value.items()
	for _, picture := range pictures {
		if address := cmp.Or(picture.TransformedURL, picture.OriginalURL); address != "" {
			l.Images = append(l.Images, address)
		} else { // the shop keeps its pictures where one has the supplier's own address alone
			l.unread(UnreadImages, w.original)
		}
	}
	next.details = l.addDetails(w)
	if next.variants, err = variants.goesOn(w.asked.variants); err == nil {
		next.images, err = images.value.goesOn(w.asked.images)
	}
	return next, err
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
		l.Brand = cmp.Or(l.Brand, d.Brand)
	}
	next, err := page.goesOn(w.asked.details)
	l.unread(UnreadDetails, err != nil)
	return next
}
