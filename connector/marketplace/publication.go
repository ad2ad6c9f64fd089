package marketplace

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace/internal/form"
	"github.com/pubsync/pubsync/connector/marketplace/internal/wire"
)

// A Publication is one entry of the import list with its content. Numbers and booleans that the
// server sends are kept as their text.
type Publication struct {
	ID         string
	Status     string // lower case
	ProductURL string
	UpdatedAt  string   // ISO 8601, exactly as sent
	Listing    *Listing // nil: there is none
	// those that were asked for: the wanted ones that the marketplace's schema is known or assumed
	// to have
	Languages []string
}

// A Listing is what the supplier offers.
type Listing struct {
	ID           string
	ProductID    string                 // of the supplier's product; "" when there is none
	Translations map[string]Translation // by language; what the server nulls is left out
	Category     Category
	Shipping     []Shipping
	Returns      string    // "true", "false", or the supplier's words
	Variants     []Variant // all of them
	Images       []string  // addresses, the main one first
	Pictured     string    // the way in which Images were asked for
	ImagesBefore []string  // the same pictures in the way of Expected.Pictured, where that is another
	// Details is whether the product's own word was asked for: else brand and details are not known.
	Details bool
	Brand   string
	Size    Details            // of the product: it counts for a variant that has none of its own
	BySKU   map[string]Details // of the product's variants, by SKU
	// Asked is the fields that the details were asked of: the others are none of the schema's. Given
	// is those of them that held something.
	Asked, Given DetailFields
	OneShipping  bool // the marketplace gives Shipping as one object, not as a list
	// fields that the marketplace gives in a shape that cannot be read, by the names below; what
	// could be read of them is there
	Unread []string
}

// The names of Unread.
const (
	UnreadCategory = "category"
	UnreadShipping = "shipping"
	UnreadReturns  = "returns"
	UnreadEAN      = "ean"
	UnreadImages   = "images"
	UnreadDetails  = "brand, details"
)

// A Translation is a listing's text in one language.
type Translation struct{ Title, Description string }

// A Category is the marketplace's. Path is upper-case words joined by underscores. Branch is not
// part of the content: it comes from the tree of categories.
type Category struct {
	Path, Name string
	Branch     []CategoryNode // from the root, the category itself last; empty: not known
}

// Shipping is what sending to a group of countries costs and how long it takes.
type Shipping struct {
	CountryGroup, FixedCosts, VariableCosts, EstimatedDays string
}

// A Variant is one thing that can be sold. Prices are decimal, exactly as sent, "" where there is
// none.
type Variant struct {
	ID       string
	Title    string
	Options  []Option
	Cost     string // dropshippingPrice
	MSRP     string
	SKU, EAN string
	Quantity *int   // negative when backordered; nil when the server does not say
	Policy   string // upper case; CONTINUE: sold on below zero
}

// Details are what a product or one of its variants says beside: texts exactly as sent, "" where
// there is none.
type Details struct {
	Brand, Weight, Length, Width, Height, Diameter, Volume string
	CaseQuantity, MadeIn, LeadTime, AvailableAt            string
	Tags, Materials                                        []string
}

// An Option is one choice of a variant.
type Option struct{ Name, Value string }

// wirePublication is a publication as the content documents select it.
type wirePublication struct {
	wireEntry
	Listing *wireListing `json:"listing"`
}

// A wireListing is a listing as the content documents ask for it. An essential field whose shape
// cannot be read fails the reading. Another one, a wire.Soft or a wire.Some, is named in
// Listing.Unread, and the shop keeps what was last written of it.
//
//	essential      id, status, updatedAt; the listing's id, its translations; its variants, with
//	               id, title, options, sku, prices, quantity, policy
//	not essential  category, shipping, returns, ean, images, product
type wireListing struct {
	ID           wire.Scalar                      `json:"id"`
	Translations map[string]*wireTranslation      `json:"translations"`
	Category     wire.Soft[*wireCategory]         `json:"category"`
	Shipping     wire.Some[wireShipping]          `json:"dropshippingShippingDetails"`
	Returns      wire.Soft[wire.Scalar]           `json:"dropshippingReturns"`
	Variants     *wire.Page[wireVariant]          `json:"variants"`
	Images       wire.Soft[*wire.Page[wireImage]] `json:"images"`
	Product      wire.Soft[*wireProduct]          `json:"product"`

	spared   bool         // the answer lacks details
	asked    form.Details // those that were asked for
	pictured pictured     // how the pictures were asked for
}

type wireVariant struct {
	ID       wire.Scalar            `json:"id"`
	Title    wire.Scalar            `json:"title"`
	Cost     wire.Scalar            `json:"dropshippingPrice"`
	MSRP     wire.Scalar            `json:"msrp"`
	SKU      wire.Scalar            `json:"sku"`
	EAN      wire.Soft[wire.Scalar] `json:"ean"`
	Quantity wire.Quantity          `json:"inventoryQuantity"`
	Policy   wire.Scalar            `json:"inventoryPolicy"`
	Options  []wireOption           `json:"options"`
}

// UnmarshalJSON starts afresh: where a list is named twice, encoding/json would fill in what the
// second leaves out of a variant from another variant of the first.
func (w *wireVariant) UnmarshalJSON(data []byte) error {
	type plain wireVariant
	var fresh plain
	err := json.Unmarshal(data, &fresh)
	*w = wireVariant(fresh)
	return err
}

type wireTranslation struct {
	Title       wire.Scalar `json:"title"`
	Description wire.Scalar `json:"description"`
}

type wireCategory struct {
	Path wire.Scalar `json:"path"`
	Name wire.Scalar `json:"name"`
}

type wireShipping struct {
	CountryGroup  wire.Scalar `json:"countryGroup"`
	FixedCosts    wire.Scalar `json:"fixedCosts"`
	VariableCosts wire.Scalar `json:"variableCosts"`
	EstimatedDays wire.Scalar `json:"estimatedShippingDays"`
}

type wireOption struct {
	Name  wire.Scalar `json:"name"`
	Value wire.Scalar `json:"value"`
}

// contentData is the answer to a content document.
type contentData struct {
	Publication *wirePublication `json:"publication"`
}

// decode reads the answer to a content document; nil when the publication is gone. It does so by
// encoding/json: to the library a field of another shape than expected costs the whole answer.
func decode(data json.RawMessage) (*wirePublication, error) {
	var d contentData
	if err := json.Unmarshal(data, &d); err != nil {
		return nil, err
	}
	return d.Publication, nil
}

// publication is w without its variants and images, which come in pages.
func (w *wirePublication) publication(id string) *Publication {
	p := &Publication{
		ID: id, Status: strings.ToLower(string(w.Status)), ProductURL: string(w.ProductURL),
		UpdatedAt: string(w.UpdatedAt),
	}
	l := w.Listing
	if l == nil {
		return p
	}
	p.Listing = &Listing{
		ID:           string(l.ID),
		Returns:      string(l.Returns.Value),
		Translations: make(map[string]Translation, len(l.Translations)),
	}
	p.Listing.unread(UnreadReturns, l.Returns.Unread)
	for language, t := range l.Translations {
		if t != nil {
			p.Listing.Translations[strings.ToLower(language)] = Translation{
				Title:       string(t.Title),
				Description: string(t.Description),
			}
		}
	}
	p.Listing.unread(UnreadCategory, l.Category.Unread)
	if c := l.Category.Value; c != nil {
		p.Listing.unread(UnreadCategory, *c == wireCategory{}) // it has other fields than those asked for
		p.Listing.Category = Category{Path: string(c.Path), Name: string(c.Name)}
	}
	if product := l.Product.Value; product != nil {
		p.Listing.ProductID = string(product.ID)
	}
	p.Listing.OneShipping = l.Shipping.One && len(l.Shipping.Items) == 1
	p.Listing.unread(UnreadShipping, l.Shipping.Unread)
	for _, s := range l.Shipping.Items {
		if s == (wireShipping{}) {
			p.Listing.unread(UnreadShipping, true)
			continue
		}
		p.Listing.Shipping = append(p.Listing.Shipping, Shipping{
			CountryGroup: string(
				s.CountryGroup,
			), FixedCosts: string(s.FixedCosts), VariableCosts: string(s.VariableCosts),
			EstimatedDays: string(s.EstimatedDays),
		})
	}
	return p
}

// unread records, once, that a field could not be read.
func (l *Listing) unread(name string, yes bool) {
	if yes && !slices.Contains(l.Unread, name) {
		l.Unread = append(l.Unread, name)
	}
}

func (w *wireVariant) variant() Variant {
	v := Variant{
		ID: string(
			w.ID,
		), Title: string(w.Title), Cost: string(w.Cost), MSRP: string(w.MSRP), SKU: string(w.SKU), EAN: string(w.EAN.Value),
		Quantity: w.Quantity.Pointer(), Policy: strings.ToUpper(string(w.Policy)),
	}
	for _, o := range w.Options {
		v.Options = append(v.Options, Option{Name: string(o.Name), Value: string(o.Value)})
	}
	return v
}
