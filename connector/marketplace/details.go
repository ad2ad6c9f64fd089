package marketplace

import (
	"encoding/json"
	"slices"
	"strings"
)

// productDetails and variantDetails are the fields of the specification. A variant's SKU tells which
// variant of the listing it is.
func productDetails() []string {
	return []string{"brand", "weight", "length", "width", "height", "diameter", "volume"}
}

func variantDetails() []string { return append([]string{"sku"}, detailFields()...) }

// variantDetails is those that this server has, nil where they could not be told apart.
func (d Dialect) variantDetails() []string {
	fields := d.has("variants", variantDetails()...)
	if d.lacks["variants"] || len(fields) < 2 || fields[0] != "sku" {
		return nil
	}
	return fields
}

// A DetailFields is a set of fields of the marketplace's schema that details come from. Its bits
// are recorded, and never change their meaning.
type DetailFields uint32

// ofVariant is how much higher the bits of a product variant's fields are than those of a
// product's.
const ofVariant = 16

// detailFields are the names of the fields, in the order of their bits.
func detailFields() []string {
	return []string{
		"brand", "weight", "length", "width", "height", "diameter", "volume",
		"caseQuantity", "madeIn", "leadTime", "availableAt", "tags", "filterMaterial",
	}
}

// The fields that a part of the details comes from.
const (
	BrandFields     DetailFields = 1 | 1<<ofVariant
	AvailableFields DetailFields = 1 << 10 << ofVariant
)

// fieldsNamed is the set of some names.
func fieldsNamed(names []string) (set DetailFields) {
	for i, name := range detailFields() {
		if slices.Contains(names, name) {
			set |= 1 << i
		}
	}
	return set
}

// fields is the fields that gave a value.
func (d Details) fields() (set DetailFields) {
	for i, value := range []string{
		d.Brand, d.Weight, d.Length, d.Width, d.Height, d.Diameter, d.Volume,
		d.CaseQuantity, d.MadeIn, d.LeadTime, d.AvailableAt, strings.Join(d.Tags, ""), strings.Join(d.Materials, ""),
	} {
		if value != "" {
			set |= 1 << i
		}
	}
	return set
}

// A readDetails is the details of a product or of a variant as they are read. whole is false where
// one of them has a shape that cannot be read.
type readDetails struct {
	Details
	whole bool
}

func (d *readDetails) UnmarshalJSON(data []byte) error {
	var fresh Details
	err := json.Unmarshal(data, &fresh)
	if err != nil && !isShape(err) {
		return err
	}
	var nulls struct {
		Tags, FilterMaterial []*string
	}
	whole := err == nil && json.Unmarshal(data, &nulls) == nil &&
		!slices.Contains(append(nulls.Tags, nulls.FilterMaterial...), nil)
	*d = readDetails{fresh, whole}
	return nil
}

// readProduct records what the first page says of the product itself. One that is null, for want of
// the right to see it say, says nothing.
func (l *Listing) readProduct(w *readPublication) {
	var product *struct{ ID string }
	if raw := w.Listing.Product; len(raw) > 0 && json.Unmarshal(raw, &product) != nil {
		product = nil
	}
	if product != nil {
		l.ProductID = product.ID
	}
	if !l.Details {
		return
	}
	l.BySKU, l.Asked = map[string]Details{}, w.fields
	l.unread(UnreadDetails, w.spared || product == nil)
	var d readDetails
	if product == nil || json.Unmarshal(w.Listing.Product, &d) != nil {
		return
	}
	l.unread(UnreadDetails, !d.whole)
	l.Brand, l.Size, l.Given = d.Brand, d.Details, d.fields()
}

// addDetails adds a page of the product's variants, and returns the span of the next. A page that
// cannot be read, whole or in part, or that leads nowhere, leaves the details unread.
func (l *Listing) addDetails(w *readPublication) (next span) {
	asked := w.asked.details
	if !l.Details || asked.first == 0 {
		return span{}
	}
	l.unread(UnreadDetails, w.spared)
	var product *struct {
		Variants *pageOf[json.RawMessage]
	}
	if raw := w.Listing.Product; len(raw) > 0 && json.Unmarshal(raw, &product) != nil || product == nil ||
		product.Variants == nil {
		l.unread(UnreadDetails, true)
		return span{}
	}
	page := product.Variants
	items, nulls := page.items()
	l.unread(UnreadDetails, nulls > 0 || page.Nodes == nil && page.Edges == nil)
	for _, raw := range items {
		var d readDetails
		var named struct{ SKU string }
		l.unread(UnreadDetails, json.Unmarshal(raw, &named) != nil || json.Unmarshal(raw, &d) != nil || !d.whole)
		l.Given |= d.fields() << ofVariant
		if _, twice := l.BySKU[named.SKU]; named.SKU == "" || twice {
			continue
		}
		l.BySKU[named.SKU] = d.Details
		if l.Brand == "" {
			l.Brand = d.Brand
		}
	}
	next, err := goesOn(page, asked.after)
	l.unread(UnreadDetails, err != nil)
	return next
}
