package shopadapter

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

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
