package marketplace

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace/internal/form"
	"github.com/pubsync/pubsync/connector/marketplace/internal/wire"
)

// A wireProduct is the product of a listing. All of it but its id is not essential.
type wireProduct struct {
	wireDetails
	ID       wire.Scalar                          `json:"id"`
	Variants wire.Soft[*wire.Page[wireOfVariant]] `json:"variants"`
}

// wireOfVariant is the details of a product's variant.
type wireOfVariant struct {
	wireDetails
	SKU wire.Soft[wire.Scalar] `json:"sku"`
}

type wireDetails struct {
	Brand        wire.Soft[wire.Scalar] `json:"brand"`
	Weight       wire.Soft[wire.Scalar] `json:"weight"`
	Length       wire.Soft[wire.Scalar] `json:"length"`
	Width        wire.Soft[wire.Scalar] `json:"width"`
	Height       wire.Soft[wire.Scalar] `json:"height"`
	Diameter     wire.Soft[wire.Scalar] `json:"diameter"`
	Volume       wire.Soft[wire.Scalar] `json:"volume"`
	CaseQuantity wire.Soft[wire.Scalar] `json:"caseQuantity"`
	MadeIn       wire.Soft[wire.Scalar] `json:"madeIn"`
	LeadTime     wire.Soft[wire.Scalar] `json:"leadTime"`
	AvailableAt  wire.Soft[wire.Scalar] `json:"availableAt"`
	Tags         wire.Some[wire.Scalar] `json:"tags"`
	Materials    wire.Some[wire.Scalar] `json:"filterMaterial"`
}

// details is w as texts. whole is false where one of them has a shape that cannot be read.
func (w *wireDetails) details() (d Details, whole bool) {
	whole = !w.Tags.Unread && !w.Materials.Unread
	text := func(s wire.Soft[wire.Scalar]) string {
		whole = whole && !s.Unread
		return string(s.Value)
	}
	d = Details{
		Brand: text(w.Brand), Weight: text(w.Weight), Length: text(w.Length), Width: text(w.Width),
		Height: text(w.Height), Diameter: text(w.Diameter), Volume: text(w.Volume),
		CaseQuantity: text(w.CaseQuantity), MadeIn: text(w.MadeIn), LeadTime: text(w.LeadTime),
		AvailableAt: text(w.AvailableAt),
	}
	for _, tag := range w.Tags.Items {
		d.Tags = append(d.Tags, string(tag))
	}
	for _, material := range w.Materials.Items {
		d.Materials = append(d.Materials, string(material))
	}
	return d, whole
}

// UnmarshalJSON starts afresh, as that of a wireVariant does.
func (w *wireOfVariant) UnmarshalJSON(data []byte) error {
	type plain wireOfVariant
	var fresh plain
	err := json.Unmarshal(data, &fresh)
	*w = wireOfVariant(fresh)
	return err
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

// asked is the fields that a request for details asks for.
func asked(d form.Details) DetailFields {
	return fieldsNamed(d.Product) | fieldsNamed(d.Variant)<<ofVariant
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

// readProduct records what the first page says of the product itself. One that is null, for want of
// the right to see it say, says nothing.
func (l *Listing) readProduct(w *wireListing, details bool) {
	if l.Details = details; details {
		l.BySKU, l.Asked = make(map[string]Details), asked(w.asked)
	}
	product := w.Product.Value
	unread := w.spared || w.Product.Unread || product == nil
	l.unread(UnreadDetails, details && unread)
	if product == nil || !details {
		return
	}
	d, whole := product.details()
	l.unread(UnreadDetails, !whole)
	l.Brand, l.Size, l.Given = d.Brand, d, d.fields()
}

// addDetails adds a page of the product's variants. A page that cannot be read, whole or in part,
// or that leads nowhere, leaves the details unread. n is 1 where another page follows the cursor.
func (l *Listing) addDetails(w *wireListing, after pages) (n int, cursor string) {
	if !l.Details || after.goOn() && after.details == 0 {
		return 0, ""
	}
	l.Asked &= asked(w.asked) | (1<<ofVariant - 1) // the product itself is on the first page alone
	l.unread(UnreadDetails, w.spared)
	var page *wire.Page[wireOfVariant]
	if product := w.Product.Value; product != nil {
		page = product.Variants.Value
	}
	if page == nil {
		l.unread(UnreadDetails, w.asked.Variant != nil || after.afterDetails != "")
		return 0, ""
	}
	items, nulls := page.Split()
	l.unread(UnreadDetails, nulls > 0 || page.Nodes == nil && page.Edges == nil)
	for _, item := range items {
		d, whole := item.details()
		l.unread(UnreadDetails, !whole || item.SKU.Unread)
		l.Given |= d.fields() << ofVariant
		sku := string(item.SKU.Value)
		if sku == "" {
			continue
		}
		if _, twice := l.BySKU[sku]; !twice {
			l.BySKU[sku] = d
		}
		if l.Brand == "" {
			l.Brand = d.Brand
		}
	}
	cursor, more, err := page.Next(after.afterDetails)
	if err != nil {
		l.unread(UnreadDetails, true)
		return 0, ""
	}
	if !more {
		return 0, ""
	}
	return 1, cursor
}
