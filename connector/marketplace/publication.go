package marketplace

import (
	"encoding/json"
	"strings"
)

// A Publication is one entry of the import list with its content. Numbers and booleans that the server sends are kept as their text.
type Publication struct {
	ID         string
	Status     string // lower case
	ProductURL string
	UpdatedAt  string   // ISO 8601, exactly as sent
	Listing    *Listing // nil: there is none
	Languages  []string // those that were asked for: the wanted ones that the marketplace's schema is known or assumed to have
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
}

// A Translation is a listing's text in one language.
type Translation struct{ Title, Description string }

// A Category is the marketplace's. Path is upper-case words joined by underscores. Branch is not part of the content: it comes from the tree of categories.
type Category struct {
	Path, Name string
	Branch     []CategoryNode // from the root, the category itself last; empty: not known
}

// Shipping is what sending to a group of countries costs and how long it takes.
type Shipping struct {
	CountryGroup, FixedCosts, VariableCosts, EstimatedDays string
}

// A Variant is one thing that can be sold. Prices are decimal, exactly as sent, "" where there is none.
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

// An Option is one choice of a variant.
type Option struct{ Name, Value string }

// wirePublication is a publication as the content documents select it.
type wirePublication struct {
	wireEntry
	Listing *wireListing
}

type wireListing struct {
	ID                          text
	Translations                map[string]*wireTranslation
	Category                    *wireCategory
	DropshippingShippingDetails []wireShipping
	DropshippingReturns         text
	Variants                    *wirePage[wireVariant]
	Images                      *wirePage[wireImage]
	Product                     *wireProduct
}

type wireVariant struct {
	ID, Title, DropshippingPrice, MSRP, SKU, EAN, InventoryPolicy text

	InventoryQuantity quantity
	Options           []wireOption
}

type (
	wireTranslation struct{ Title, Description text }
	wireCategory    struct{ Path, Name text }
	wireShipping    struct{ CountryGroup, FixedCosts, VariableCosts, EstimatedShippingDays text }
	wireProduct     struct{ ID text }
	wireOption      struct{ Name, Value text }
	wireImage       struct{ TransformedURL text }
)

// contentData is the answer to a content document.
type contentData struct{ Publication *wirePublication }

// decode reads the answer to a content document; nil when the publication is gone.
func decode(data json.RawMessage) (*wirePublication, error) {
	var d contentData
	if err := decodeJSON(data, &d, scanContent); err != nil {
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
	p.Listing = &Listing{ID: string(l.ID), Returns: string(l.DropshippingReturns), Translations: make(map[string]Translation, len(l.Translations))}
	for language, t := range l.Translations {
		if t != nil {
			p.Listing.Translations[strings.ToLower(language)] = Translation{Title: string(t.Title), Description: string(t.Description)}
		}
	}
	if l.Category != nil {
		p.Listing.Category = Category{Path: string(l.Category.Path), Name: string(l.Category.Name)}
	}
	if l.Product != nil {
		p.Listing.ProductID = string(l.Product.ID)
	}
	for _, s := range l.DropshippingShippingDetails {
		p.Listing.Shipping = append(p.Listing.Shipping, Shipping{
			CountryGroup: string(s.CountryGroup), FixedCosts: string(s.FixedCosts), VariableCosts: string(s.VariableCosts),
			EstimatedDays: string(s.EstimatedShippingDays),
		})
	}
	return p
}

func (w *wireVariant) variant() Variant {
	v := Variant{
		ID: string(w.ID), Title: string(w.Title), Cost: string(w.DropshippingPrice), MSRP: string(w.MSRP), SKU: string(w.SKU), EAN: string(w.EAN),
		Quantity: w.InventoryQuantity.pointer(), Policy: strings.ToUpper(string(w.InventoryPolicy)),
	}
	for _, o := range w.Options {
		v.Options = append(v.Options, Option{Name: string(o.Name), Value: string(o.Value)})
	}
	return v
}
