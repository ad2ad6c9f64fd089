package shopadapter

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// A Product is one listing as the shop shall show it: prices are final (the merchant's rules are
// applied), the description is sanitised HTML, all other text is plain. Its JSON form is the body
// of the http shop protocol. The tag group names the field group that a field belongs to, see With.
type Product struct {
	ID           PublicationID          `json:"id"`
	ListingID    string                 `json:"listingId"`                        // the marketplace's, of the listing
	ProductID    string                 `json:"productId"`                        // and of the supplier's product
	Language     string                 `json:"language"`                         // of Title and Description: en, nl
	Title        string                 `json:"title" group:"title"`              // plain text, never empty
	Description  string                 `json:"description" group:"description"`  // sanitised, balanced HTML; may be empty
	Translations map[string]Translation `json:"translations" group:"description"` // by language, its own too
	Category     Category               `json:"category" group:"category"`
	Brand        string                 `json:"brand,omitempty" group:"brand"` // plain text; may be empty
	// names in the order of the variants' options; empty when there is nothing to choose
	Options   []string   `json:"options" group:"variants"`
	Variants  []Variant  `json:"variants"`              // at least one
	Images    []string   `json:"images" group:"images"` // absolute addresses, the first is the main one
	Shipping  []Shipping `json:"shipping" group:"shipping"`
	Returns   string     `json:"returns" group:"shipping"` // the supplier's word, "true" or "false"; may be empty
	UpdatedAt string     `json:"updatedAt"`                // when the marketplace last changed it: ISO 8601, UTC
	Currency  string     `json:"currency,omitempty"`       // of every amount, an ISO 4217 code; the shop sells in the same
	Units     Units      `json:"-"`                        // that the decimals of the variants' details are in
	// Draft asks for a listing that is complete and not on sale. One that is on sale stays so. Only an
	// adapter whose Factory says Drafts is asked for it.
	Draft bool `json:"draft,omitempty"`
	// Unknown is the groups that could not be read. None is named as changed; an adapter that writes a
	// product whole keeps of it what it wrote last.
	Unknown Fields `json:"-"`
	// Figures says that price and stock alone are known, of all the variants that the listing has.
	Figures bool `json:"-"`
}

// Pictures is the product's images, each once.
func (p Product) Pictures() []string {
	list := []string{}
	for _, address := range p.Images {
		if !slices.Contains(list, address) {
			list = append(list, address)
		}
	}
	return list
}

// With is the product with these groups as another has them. It keeps its variants: each takes from
// the other's of the same id, and one that the other does not have stays as it is.
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

// take copies the fields whose tags name one of these groups.
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

// A Category is a node of the marketplace's tree. A shop with a tree of its own finds or makes the
// branch by Branch; the words of Path do not tell where a level ends. Branch is empty where the
// marketplace does not tell its tree: then Path and Name are all that there is.
type Category struct {
	Path   string  `json:"path"`             // upper-case words joined by underscores; may be empty
	Name   string  `json:"name"`             // as the listing has it
	Branch []Level `json:"branch,omitempty"` // from the root, the category itself last
}

// A Level is one category of a branch.
type Level struct {
	Path string `json:"path"` // stable, and the same in every language
	Name string `json:"name"` // in the shop's language, never empty
}

// Names is the names of the branch from the root; none where it is not known.
func (c Category) Names() []string {
	names := make([]string, len(c.Branch))
	for i, level := range c.Branch {
		names[i] = level.Name
	}
	return names
}

// Trail is the names of the branch in one line, with a separator between them; where it is not
// known it is Label.
func (c Category) Trail(separator string) string {
	if len(c.Branch) == 0 {
		return c.Label()
	}
	return strings.Join(c.Names(), separator)
}

// Label is what a person calls the category: its name in the shop's language, else the name that
// the listing has, else the path.
func (c Category) Label() string {
	if n := len(c.Branch); n > 0 {
		return c.Branch[n-1].Name
	}
	return cmp.Or(c.Name, c.Path)
}

// A Variant is one thing a customer can buy.
type Variant struct {
	ID      string   `json:"id"`                     // the marketplace's id, unique and stable
	Title   string   `json:"title" group:"variants"` // the option values joined
	SKU     string   `json:"sku" group:"variants"`   // unique over all publications; may be empty
	EAN     string   `json:"ean" group:"variants"`
	Options []Option `json:"options" group:"variants"`
	// what the customer pays: decimal with two places, in the shop's currency, VAT as configured
	Price      string `json:"price" group:"price"`
	Cost       string `json:"cost" group:"price"`       // what the retailer pays: decimal, may be empty
	MSRP       string `json:"msrp" group:"price"`       // recommended consumer price: decimal, may be empty
	Quantity   int    `json:"quantity" group:"stock"`   // units that may be sold, never negative
	Backorders bool   `json:"backorders" group:"stock"` // may be sold below zero
	Details    `group:"details"`
}

// An Option is one choice of a variant, for example Color: Red.
type Option struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Shipping is what the supplier asks for sending to a group of countries. Amounts are decimal
// strings.
type Shipping struct {
	CountryGroup  string `json:"countryGroup"`
	FixedCosts    string `json:"fixedCosts"`
	VariableCosts string `json:"variableCosts"`
	EstimatedDays string `json:"estimatedDays"`
}

// Figures are the price and the stock of one variant. See Variant.
type Figures struct {
	ID         string `json:"id"`
	Price      string `json:"price"`
	Cost       string `json:"cost"`
	MSRP       string `json:"msrp"`
	Quantity   int    `json:"quantity"`
	Backorders bool   `json:"backorders"`
}

// FiguresOf is the figures of variants.
func FiguresOf(variants []Variant) []Figures {
	out := make([]Figures, len(variants))
	for i, v := range variants {
		out[i] = Figures{v.ID, v.Price, v.Cost, v.MSRP, v.Quantity, v.Backorders}
	}
	return out
}

// OnlyFigures is the product of which nothing is known but the figures of its variants.
func (p Product) OnlyFigures() Product {
	only := Product{ID: p.ID, UpdatedAt: p.UpdatedAt, Figures: true}
	for _, v := range p.Variants {
		only.Variants = append(only.Variants, Variant{ID: v.ID})
	}
	return only.With(FieldPrice|FieldStock, p)
}

// Refigured is the product with the figures of another; ok is false where these are not the figures of
// its variants, all of them.
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
