package shopadapter

import (
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter/internal/amount"
)

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
