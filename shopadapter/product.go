package shopadapter

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// A Product is one listing as the shop shall show it. Prices are final, the description is sanitised HTML, other text
// plain. Its JSON form is the http shop protocol's.
type Product struct {
	ID           PublicationID          `json:"id"`
	ListingID    string                 `json:"listingId"` // the marketplace's, as the next
	ProductID    string                 `json:"productId"`
	Language     string                 `json:"language"`                         // of Title and Description: en, nl
	Title        string                 `json:"title" group:"title"`              // never empty
	Description  string                 `json:"description" group:"description"`  // balanced HTML; may be empty
	Translations map[string]Translation `json:"translations" group:"description"` // by language, its own too
	Category     Category               `json:"category" group:"category"`
	Brand        string                 `json:"brand,omitempty" group:"brand"` // may be empty
	// names, in the order of the variants' options; empty without a choice
	Options   []string   `json:"options" group:"variants"`
	Variants  []Variant  `json:"variants"`              // at least one
	Images    []string   `json:"images" group:"images"` // absolute addresses, the main one first
	Shipping  []Shipping `json:"shipping" group:"shipping"`
	Returns   string     `json:"returns" group:"shipping"` // the supplier's word, "true" or "false"; may be empty
	UpdatedAt string     `json:"updatedAt"`                // the marketplace's last change: ISO 8601, UTC
	Currency  string     `json:"currency,omitempty"`       // ISO 4217, of all amounts and the shop
	Units     Units      `json:"-"`                        // of the variants' details
	// Draft asks for a complete listing off sale; one on sale stays so.
	Draft bool `json:"draft,omitempty"`
	// Unknown is the groups that could not be read, never in changed. An adapter that writes all keeps their last
	// values.
	Unknown Fields `json:"-"`
	// Figures says that only price and stock are known, of all variants.
	Figures bool `json:"-"`
}

// Pictures returns the images, each once.
func (p Product) Pictures() []string {
	list := []string{}
	for _, address := range p.Images {
		if !slices.Contains(list, address) {
			list = append(list, address)
		}
	}
	return list
}

// With returns p with the fields whose tag names one of these groups taken from another product. Each variant takes
// from the other's of its id, if any.
func (p Product) With(groups Fields, of Product) Product {
	take(groups, &p, &of)
	p.Variants = slices.Clone(p.Variants)
	for i := range p.Variants {
		v := &p.Variants[i]
		if j := slices.IndexFunc(of.Variants, func(w Variant) bool { return w.ID == v.ID }); j >= 0 {
			take(groups, v, &of.Variants[j])
		}
	}
	return p
}

func take(groups Fields, to, from any) {
	a, b := reflect.ValueOf(to).Elem(), reflect.ValueOf(from).Elem()
	for i := range a.NumField() {
		group, err := ParseFields(a.Type().Field(i).Tag.Get("group"))
		if err == nil && groups.Has(group) {
			a.Field(i).Set(b.Field(i))
		}
	}
}

// A Translation is a product's text in one language.
type Translation struct {
	Title       string `json:"title"`
	Description string `json:"description"`
}

// A Category is a node of the marketplace's tree. Match a shop's own tree by Branch, since Path does not show where a
// level ends. Branch is empty if unknown.
type Category struct {
	Path   string  `json:"path"`             // upper-case words joined by underscores; may be empty
	Name   string  `json:"name"`             // as the listing has it
	Branch []Level `json:"branch,omitempty"` // from the root, the category itself last
}

// A Level is one category of a branch.
type Level struct {
	Path string `json:"path"` // stable, the same in every language
	Name string `json:"name"` // in the shop's language, never empty
}

// Names returns the branch's names from the root.
func (c Category) Names() []string {
	names := make([]string, len(c.Branch))
	for i, level := range c.Branch {
		names[i] = level.Name
	}
	return names
}

// Trail joins the branch's names, or returns Label if there are none.
func (c Category) Trail(separator string) string {
	if len(c.Branch) == 0 {
		return c.Label()
	}
	return strings.Join(c.Names(), separator)
}

// Label returns the name in the shop's language, else the listing's name, else the path.
func (c Category) Label() string {
	if n := len(c.Branch); n > 0 {
		return c.Branch[n-1].Name
	}
	return cmp.Or(c.Name, c.Path)
}

// A Variant is one thing a customer can buy.
type Variant struct {
	ID      string   `json:"id"`                     // unique and stable
	Title   string   `json:"title" group:"variants"` // the option values joined
	SKU     string   `json:"sku" group:"variants"`   // unique over all publications; may be empty
	EAN     string   `json:"ean" group:"variants"`
	Options []Option `json:"options" group:"variants"`
	// Price is what the customer pays: two decimals, shop currency, VAT as configured.
	Price      string `json:"price" group:"price"`
	Cost       string `json:"cost" group:"price"`       // what the retailer pays: decimal, may be empty
	MSRP       string `json:"msrp" group:"price"`       // recommended consumer price, likewise
	Quantity   int    `json:"quantity" group:"stock"`   // never negative
	Backorders bool   `json:"backorders" group:"stock"` // may be sold below zero
	Details    `group:"details"`
}

// An Option is one choice, such as Color: Red.
type Option struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Shipping is what the supplier charges for a group of countries. Costs are decimals.
type Shipping struct {
	CountryGroup  string `json:"countryGroup"`
	FixedCosts    string `json:"fixedCosts"`
	VariableCosts string `json:"variableCosts"`
	EstimatedDays string `json:"estimatedDays"`
}

// Figures are a variant's price and stock; see Variant.
type Figures struct {
	ID         string `json:"id"`
	Price      string `json:"price"`
	Cost       string `json:"cost"`
	MSRP       string `json:"msrp"`
	Quantity   int    `json:"quantity"`
	Backorders bool   `json:"backorders"`
}

// FiguresOf returns the variants' figures.
func FiguresOf(variants []Variant) []Figures {
	out := make([]Figures, len(variants))
	for i, v := range variants {
		out[i] = Figures{v.ID, v.Price, v.Cost, v.MSRP, v.Quantity, v.Backorders}
	}
	return out
}

// OnlyFigures returns p with only ID, UpdatedAt, and its variants' ids and figures.
func (p Product) OnlyFigures() Product {
	only := Product{ID: p.ID, UpdatedAt: p.UpdatedAt, Figures: true}
	for _, v := range p.Variants {
		only.Variants = append(only.Variants, Variant{ID: v.ID})
	}
	return only.With(FieldPrice|FieldStock, p)
}

// Refigured returns p with another's figures; ok is false unless both have the same variants.
func (p Product) Refigured(figures Product) (out Product, ok bool) {
	ids := func(of Product) (ids []string) {
		for _, v := range of.Variants {
			ids = append(ids, v.ID)
		}
		slices.Sort(ids)
		return ids
	}
	return p.With(FieldPrice|FieldStock, figures), slices.Equal(ids(p), ids(figures))
}
