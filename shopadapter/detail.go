package shopadapter

import (
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter/internal/amount"
)

// Details are what the supplier says of a variant beside what it is and what it costs, as the
// marketplace gives it. A shop writes those that it has a field for. The values of LeadTime, Tags and
// Materials are the marketplace's own words: show them, and do not read a meaning into them.
type Details struct {
	Weight       string   `json:"weight,omitempty"`       // a decimal in Units.Weight
	Length       string   `json:"length,omitempty"`       // a decimal in Units.Length, like the next three
	Width        string   `json:"width,omitempty"`        //
	Height       string   `json:"height,omitempty"`       //
	Diameter     string   `json:"diameter,omitempty"`     //
	Volume       string   `json:"volume,omitempty"`       // a decimal; nobody says of which unit
	Origin       string   `json:"origin,omitempty"`       // the country where it was made, ISO 3166 alpha-2
	LeadTime     string   `json:"leadTime,omitempty"`     //
	AvailableAt  string   `json:"availableAt,omitempty"`  // the day from which it can be had, YYYY-MM-DD
	Tags         []string `json:"tags,omitempty"`         //
	Materials    []string `json:"materials,omitempty"`    //
	CaseQuantity string   `json:"caseQuantity,omitempty"` // units in one case of the supplier's
}

// A Detail is one of [Details] by the name that it has in the http shop protocol.
type Detail struct {
	Name  string
	Value string // a list is joined by ", "
}

// List is the details that are not empty, in the order of their declaration.
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

// Units are what the decimals of [Details] count. The merchant says it: the marketplace gives numbers.
type Units struct {
	Weight string // kg, g, lb or oz
	Length string // m, cm, mm, in or yd
}

// gram and millimeter are what one of each unit is in the smallest, by all its names.
var (
	gram = units("g gram grams = 1", "kg kgs kilogram kilograms = 1000", "oz ounce ounces = 28.349523125",
		"lb lbs pound pounds = 453.59237")
	millimeter = units("mm millimeter millimeters = 1", "cm centimeter centimeters = 10", "m meter meters = 1000",
		"in inch inches = 25.4", "yd yard yards = 914.4")
)

func units(table ...string) map[string]decimal.Decimal {
	all := map[string]decimal.Decimal{}
	for _, row := range table {
		names, size, _ := strings.Cut(row, " = ")
		for name := range strings.FieldsSeq(names) {
			all[name] = decimal.RequireFromString(size)
		}
	}
	return all
}

// WeightIn is a weight of the marketplace's in a unit of the shop's: kg, g, lb or oz, in any case
// and also by their English names. It is "" where the figure is no positive decimal or a unit is
// none of these: a wrong weight is worse than none.
func (u Units) WeightIn(weight, unit string) string { return convert(weight, u.Weight, unit, gram) }

// LengthIn is WeightIn for a length: m, cm, mm, in or yd.
func (u Units) LengthIn(length, unit string) string {
	return convert(length, u.Length, unit, millimeter)
}

func convert(figure, from, to string, units map[string]decimal.Decimal) string {
	d, ok := amount.Parse(figure)
	one, other := units[strings.ToLower(from)], units[strings.ToLower(to)]
	if !ok || one.IsZero() || other.IsZero() {
		return ""
	}
	if d = d.Mul(one).DivRound(other, 4); d.IsZero() {
		return ""
	}
	return d.String()
}

// KnowsUnits reports whether both units are among those that can be converted.
func (u Units) KnowsUnits() bool {
	return u.WeightIn("1", "kg") != "" && u.LengthIn("1", "mm") != ""
}
