package vendure

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

type customField struct {
	Name, Type     string
	List, ReadOnly bool
}

type entityFields struct {
	EntityName   string
	CustomFields []customField
}

// noteField holds the note of a variant's details.
const noteField = "pubsyncStamp"

// detailNames names the EAN and the details, and the custom fields for them.
var detailNames = []string{
	"ean", "weight", "length", "width", "height", "diameter", "volume", "origin", "leadTime", "tags", "materials",
	"caseQuantity",
}

// detailFields returns the custom fields for details, by name. Without the note's field there are none: the
// merchant's values could not be told from the adapter's.
func detailFields(declared []entityFields) map[string]customField {
	fields, noted := map[string]customField{}, false
	for _, entity := range declared {
		for _, f := range entity.CustomFields {
			switch {
			case entity.EntityName != "ProductVariant" || !f.usable():
			case f.Name == noteField:
				noted = f.Type == "text" && !f.List
			case slices.Contains(detailNames, f.Name):
				fields[f.Name] = f
			}
		}
	}
	if !noted {
		return nil
	}
	return fields
}

func (f customField) usable() bool {
	return !f.ReadOnly && (f.Type == "string" || f.Type == "text" || f.number() && !f.List)
}

func (f customField) number() bool { return f.Type == "int" || f.Type == "float" }

// form returns a detail as the field answers it, "" if the field cannot hold it.
func (f customField) form(value string) string {
	switch {
	case f.number():
		n, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return ""
		}
		if f.Type == "int" {
			n = math.Round(n)
		}
		if n == 0 { // a non-nullable column's empty value
			return ""
		}
		return strconv.FormatFloat(n, 'f', -1, 64)
	case f.Type == "string" && !f.List && len([]rune(value)) > 255: // Vendure's column for a string
		return ""
	}
	return value
}

func (f customField) held(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case float64:
		return f.form(strconv.FormatFloat(v, 'f', -1, 64))
	case []any:
		texts := make([]string, len(v))
		for i, one := range v {
			texts[i] = f.held(one)
		}
		return strings.Join(texts, joint)
	}
	return kit.Encode(value)
}

const joint = ", "

func (f customField) input(value string) any {
	switch {
	case f.List && value == "":
		return []string{}
	case f.List:
		return strings.Split(value, joint)
	case value == "":
		return nil
	case f.number():
		return json.Number(value)
	}
	return value
}

func (w *write) detailsOf(v shopadapter.Variant) map[string]string {
	units, all := w.p.Units, map[string]string{}
	for _, one := range v.Details.List() {
		all[one.Name] = one.Value
	}
	all["ean"], all["weight"] = v.EAN, units.WeightIn(v.Weight, w.a.set.Weight)
	for _, name := range []string{"length", "width", "height", "diameter"} {
		all[name] = units.LengthIn(all[name], w.a.set.Dimensions)
	}
	want := map[string]string{}
	for name, field := range w.fillable {
		want[name] = field.form(all[name])
	}
	return want
}

func (w *write) readDetails(ctx context.Context) error {
	if len(w.fillable) == 0 || len(w.held.Variants) == 0 ||
		!w.Changed.Any(shopadapter.FieldDetails|shopadapter.FieldVariants) {
		return nil
	}
	names := append(slices.Sorted(maps.Keys(w.fillable)), noteField)
	document := strings.Replace(readDetailsDocument, "FIELDS", strings.Join(names, " "), 1)
	var answer struct {
		Product struct {
			Variants []struct {
				ID           string
				CustomFields map[string]any
			}
		}
	}
	if err := w.a.call(ctx, document, input{"id": w.held.ID}, &answer); err != nil {
		return err
	}
	w.details = map[string]map[string]any{}
	for _, v := range answer.Product.Variants {
		w.details[v.ID] = v.CustomFields
	}
	return nil
}

// planDetails returns the custom fields to write: details, EAN and their note. An edited EAN is kept like a detail.
func (w *write) planDetails(v kit.Wanted[variant]) input {
	changed, known := shopadapter.AllFields, map[string]any{}
	if v.Held != nil {
		if changed, known = w.Changed, w.details[v.Held.ID]; known == nil {
			return input{} // not read: none are to be written
		}
	}
	var last kit.Values
	text, _ := known[noteField].(string)
	if json.Unmarshal([]byte(text), &last) != nil {
		last = nil // not a note but somebody's text
	}
	held, want := map[string]string{}, map[string]string{}
	all := w.detailsOf(v.Variant)
	for name, field := range w.fillable {
		group, with := shopadapter.FieldDetails, shopadapter.FieldDetails
		if name == "ean" {
			group, with = shopadapter.FieldVariants, shopadapter.FieldVariants|shopadapter.FieldDetails
		}
		if changed.Any(with) && !w.p.Unknown.Has(group) {
			held[name], want[name] = field.held(known[name]), all[name]
		}
	}
	merge := kit.Merge{Changed: shopadapter.FieldDetails, Reset: w.Reset, Own: w.Own || v.Held == nil}
	write, next := merge.DecideValues(shopadapter.FieldDetails, held, want, last)
	if merge.Keeps(shopadapter.FieldDetails) {
		w.Keep(shopadapter.FieldDetails)
	}
	fields := input{}
	for name, value := range write {
		fields[name] = w.fillable[name].input(value)
	}
	encoded := ""
	if len(next) > 0 {
		encoded = kit.Encode(next)
	}
	if encoded != text {
		fields[noteField] = encoded
	}
	return fields
}

// bare removes a variant's details and reports whether there were any. The shop may refuse a value by its own rule,
// and the sale matters more.
func bare(one input) (some bool) {
	fields, _ := one["customFields"].(input)
	for name := range fields {
		if name != "pubsyncId" {
			delete(fields, name)
			some = true
		}
	}
	return some
}
