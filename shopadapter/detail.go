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

// How many grams, and how many millimeters, one of each unit is. Shops have longer names for some.
var (
	grams = map[string]string{
		"g": "1", "grams": "1", "kg": "1000", "kilograms": "1000", "oz": "28.349523125", "ounces": "28.349523125",
		"lb": "453.59237", "lbs": "453.59237", "pounds": "453.59237",
	}
	millimeters = map[string]string{"mm": "1", "cm": "10", "m": "1000", "in": "25.4", "yd": "914.4"}
)

// WeightIn is a weight of the marketplace's in a unit of the shop's: kg, g, lb or oz, in any case
// and also by their English names in the plural. It is "" where the figure is no positive decimal or a
// unit is none of these: a wrong weight is worse than none.
func (u Units) WeightIn(weight, unit string) string { return convert(weight, u.Weight, unit, grams) }

// LengthIn is WeightIn for a length: m, cm, mm, in or yd.
func (u Units) LengthIn(length, unit string) string {
	return convert(length, u.Length, unit, millimeters)
}

// KnowsUnits reports whether both units are among those that can be converted.
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
