package shopadapter

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter/internal/amount"
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

// Fields is a set of field groups, in which changes are found, written, kept and reported.
type Fields uint16

// The field groups.
const (
	FieldTitle       Fields = 1 << iota
	FieldDescription        // and the translations
	FieldImages
	FieldCategory
	FieldVariants // added, removed, renamed; their options, SKU and EAN
	FieldPrice    // price, cost, msrp
	FieldStock    // quantity, backorders
	FieldShipping // and returns
	FieldBrand
	FieldDetails // Details and their units

	// AllFields is what a creation writes.
	AllFields = FieldDetails<<1 - 1
	// TextFields are the groups in which a merchant's edit is kept.
	TextFields = FieldTitle | FieldDescription | FieldImages | FieldCategory | FieldBrand | FieldDetails
	// NoFields is the empty set.
	NoFields Fields = 0
)

var fieldNames = []string{
	"title", "description", "images", "category", "variants", "price", "stock", "shipping", "brand", "details",
}

// Has reports whether f contains all of g.
func (f Fields) Has(g Fields) bool { return f&g == g }

// Any reports whether f and g overlap.
func (f Fields) Any(g Fields) bool { return f&g != 0 }

// Names lists the groups in a fixed order; it is never nil.
func (f Fields) Names() []string {
	names := []string{}
	for i, name := range fieldNames {
		if f&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// String returns the names joined by commas, or "none".
func (f Fields) String() string { return cmp.Or(strings.Join(f.Names(), ","), "none") }

// ParseFields reads group names. The error of an unknown name lists the known ones.
func ParseFields(names ...string) (f Fields, err error) {
	for _, name := range names {
		i := slices.Index(fieldNames, name)
		if i < 0 {
			return 0, fmt.Errorf("unknown field group %q: one of %s", name, strings.Join(fieldNames, ", "))
		}
		f |= 1 << i
	}
	return f, nil
}

// MarshalJSON writes a list of names.
func (f Fields) MarshalJSON() ([]byte, error) { return json.Marshal(f.Names()) }

// UnmarshalJSON reads a list of names.
func (f *Fields) UnmarshalJSON(data []byte) error {
	var names []string
	if err := json.Unmarshal(data, &names); err != nil {
		return err
	}
	parsed, err := ParseFields(names...)
	if err == nil {
		*f = parsed
	}
	return err
}

// Details are what the supplier says of a variant besides identity and price. A shop writes those that it has a field
// for. LeadTime, Tags and Materials are the marketplace's words: do not interpret them.
type Details struct {
	Weight       string   `json:"weight,omitempty"` // a decimal in Units.Weight
	Length       string   `json:"length,omitempty"` // in Units.Length, as the next three
	Width        string   `json:"width,omitempty"`
	Height       string   `json:"height,omitempty"`
	Diameter     string   `json:"diameter,omitempty"`
	Volume       string   `json:"volume,omitempty"` // a decimal in an unknown unit
	Origin       string   `json:"origin,omitempty"` // where it was made: ISO 3166 alpha-2
	LeadTime     string   `json:"leadTime,omitempty"`
	AvailableAt  string   `json:"availableAt,omitempty"` // available from this day, YYYY-MM-DD
	Tags         []string `json:"tags,omitempty"`
	Materials    []string `json:"materials,omitempty"`
	CaseQuantity string   `json:"caseQuantity,omitempty"` // units per case
}

// A Detail is one of [Details], named as in the http shop protocol.
type Detail struct {
	Name  string
	Value string // a list is joined by ", "
}

// List returns the non-empty details in declaration order.
func (d Details) List() []Detail {
	list := []Detail{
		{"weight", d.Weight},
		{"length", d.Length},
		{"width", d.Width},
		{"height", d.Height},
		{"diameter", d.Diameter},
		{"volume", d.Volume},
		{"origin", d.Origin},
		{"leadTime", d.LeadTime},
		{"availableAt", d.AvailableAt},
		{"tags", strings.Join(d.Tags, ", ")},
		{"materials", strings.Join(d.Materials, ", ")},
		{"caseQuantity", d.CaseQuantity},
	}
	return slices.DeleteFunc(list, func(one Detail) bool { return one.Value == "" })
}

// Units are the units of [Details]. The merchant sets them: the marketplace gives bare numbers.
type Units struct {
	Weight string // kg, g, lb or oz
	Length string // m, cm, mm, in or yd
}

var (
	grams = map[string]string{
		"g": "1", "grams": "1", "kg": "1000", "kilograms": "1000", "oz": "28.349523125", "ounces": "28.349523125",
		"lb": "453.59237", "lbs": "453.59237", "pounds": "453.59237",
	}
	millimeters = map[string]string{"mm": "1", "cm": "10", "m": "1000", "in": "25.4", "yd": "914.4"}
)

// WeightIn converts a weight from u.Weight to a unit: kg, g, lb or oz in any case, or an English plural such as
// grams. It returns "" for an unknown unit or no positive decimal: a wrong weight is worse than none.
func (u Units) WeightIn(weight, unit string) string { return convert(weight, u.Weight, unit, grams) }

// LengthIn is WeightIn for a length, without plurals.
func (u Units) LengthIn(length, unit string) string {
	return convert(length, u.Length, unit, millimeters)
}

// KnowsUnits reports whether both units can be converted.
func (u Units) KnowsUnits() bool { return u.WeightIn("1", "kg") != "" && u.LengthIn("1", "mm") != "" }

func convert(figure, from, to string, sizes map[string]string) string {
	d, ok := amount.Parse(figure)
	one, other := sizes[strings.ToLower(from)], sizes[strings.ToLower(to)]
	if !ok || one == "" || other == "" {
		return ""
	}
	d = d.Mul(decimal.RequireFromString(one)).DivRound(decimal.RequireFromString(other), 4)
	if d.IsZero() {
		return ""
	}
	return d.String()
}
