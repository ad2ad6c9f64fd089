package marketplace

import (
	"encoding/json"

	"github.com/pubsync/pubsync/connector/marketplace/internal/wire"
)

// A wireProduct is the product of a listing. All of it but its id is not essential.
type wireProduct struct {
	wireDetails
	ID          wire.Scalar                          `json:"id"`
	Title       wire.Soft[wire.Scalar]               `json:"title"`
	Description wire.Soft[wire.Scalar]               `json:"description"`
	Variants    wire.Soft[*wire.Page[wireOfVariant]] `json:"variants"`
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

// readProduct records what the first page says of the product itself. One that is null, for want of
// the right to see it say, says nothing.
func (l *Listing) readProduct(w *wireListing, details, titles bool) {
	if l.Details = details; details {
		l.BySKU = make(map[string]Details)
	}
	product := w.Product.Value
	unread := w.spared || w.Product.Unread || product == nil
	l.unread(UnreadDetails, details && unread)
	l.OwnUnread = titles && unread
	if product == nil {
		return
	}
	if titles {
		l.Own = Translation{Title: string(product.Title.Value), Description: string(product.Description.Value)}
		l.OwnUnread = l.OwnUnread || product.Title.Unread || product.Description.Unread
	}
	if !details {
		return
	}
	d, whole := product.details()
	l.unread(UnreadDetails, !whole)
	l.Brand, l.Size = d.Brand, d
}

// addDetails adds a page of the product's variants. A page that cannot be read, or that leads
// nowhere, leaves the details unread and ends the reading of them. n is 1 where another page
// follows the cursor.
func (l *Listing) addDetails(w wire.Soft[*wireProduct], after string, read *nested) (n int, cursor string) {
	if !l.Details || w.Value == nil {
		l.unread(UnreadDetails, l.Details && after != "")
		return 0, ""
	}
	page := w.Value.Variants.Value
	if page == nil {
		l.unread(UnreadDetails, w.Value.Variants.Unread || after != "")
		return 0, ""
	}
	var skus []string
	for _, item := range page.Items() {
		d, whole := item.details()
		l.unread(UnreadDetails, !whole || item.SKU.Unread)
		sku := string(item.SKU.Value)
		skus = append(skus, sku)
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
	cursor, more, err := page.Next(after)
	if err == nil {
		err = read.details.step(after, cursor, more, skus)
	}
	if err != nil {
		l.unread(UnreadDetails, true)
		return 0, ""
	}
	if !more {
		return 0, ""
	}
	return 1, cursor
}
