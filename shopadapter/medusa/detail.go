package medusa

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// sizes are the details that a product and a variant of Medusa have a field for. What is null is
// "".
type sizes struct {
	Weight   json.Number `json:"weight"`
	Length   json.Number `json:"length"`
	Width    json.Number `json:"width"`
	Height   json.Number `json:"height"`
	Origin   string      `json:"origin_country"`
	Material string      `json:"material"`
}

// held are the values by the names of Medusa's fields.
func (s sizes) held() map[string]string {
	return map[string]string{
		"weight": single(string(s.Weight)), "length": single(string(s.Length)), "width": single(string(s.Width)),
		"height": single(string(s.Height)), "origin_country": s.Origin, "material": s.Material,
	}
}

// The members of metadata for what Medusa has no field for. Storefronts can read them.
const (
	brandMark = "brand" // of the product
	// detailMark is the member of a variant's metadata that holds the note of what was written last
	// of its details.
	detailMark = "pubsync_details"
)

// told are the members of a variant's metadata that details go to.
func told() []string { return []string{"diameter", "volume", "lead_time", "tags", "case_quantity"} }

// numeric are Medusa's fields that hold numbers.
func numeric() []string { return []string{"weight", "length", "width", "height"} }

// sizesOf are the details of a variant for Medusa's fields. A country is in lower case, as the back
// office's list of countries has it.
func (w *write) sizesOf(v shopadapter.Variant) map[string]string {
	units, set := w.p.Units, w.a.set
	length := func(figure string) string { return single(units.LengthIn(figure, set.Dimensions)) }
	return map[string]string{
		"weight": single(units.WeightIn(v.Weight, set.Weight)),
		"length": length(v.Length), "width": length(v.Width), "height": length(v.Height),
		"origin_country": strings.ToLower(v.Origin), "material": strings.Join(v.Materials, ", "),
	}
}

// detailsOf are all details of a variant, by the names of Medusa's fields and of metadata.
func (w *write) detailsOf(v shopadapter.Variant) map[string]string {
	want := w.sizesOf(v)
	maps.Copy(want, map[string]string{
		"diameter": w.p.Units.LengthIn(v.Diameter, w.a.set.Dimensions), "volume": v.Volume,
		"lead_time": v.LeadTime, "tags": strings.Join(v.Tags, ", "), "case_quantity": v.CaseQuantity,
	})
	return want
}

// single is a number as Medusa keeps it, with the seven digits or so of a single float. Another
// text stays as it is.
func single(number string) string {
	f, err := strconv.ParseFloat(number, 32)
	if err != nil {
		return number
	}
	return strconv.FormatFloat(f, 'f', -1, 32)
}

// fieldsOf are the values of a write as Medusa takes them: null empties a field.
func fieldsOf(values map[string]string) input {
	fields := input{}
	for name, value := range values {
		switch {
		case value == "":
			fields[name] = nil
		case slices.Contains(numeric(), name):
			fields[name] = json.Number(value)
		default:
			fields[name] = value
		}
	}
	return fields
}

// planSizes says what to write of the brand, and of the sizes that storefronts show of the product
// itself: those in which all variants agree.
func (w *write) planSizes() {
	if !w.p.Unknown.Has(shopadapter.FieldBrand) {
		held := map[string]string{brandMark: w.held.Metadata.whole(brandMark)}
		want := map[string]string{brandMark: w.p.Brand}
		w.told, w.note.Details = w.DecideValues(shopadapter.FieldBrand, held, want, w.note.Details)
	}
	if w.p.Unknown.Has(shopadapter.FieldDetails) {
		return
	}
	var want map[string]string
	for i, v := range w.planned {
		if one := w.sizesOf(v.Variant); i == 0 {
			want = one
		} else {
			maps.DeleteFunc(want, func(name, value string) bool { return one[name] != value })
		}
	}
	held := w.held.sizes.held()
	maps.DeleteFunc(held, func(name, _ string) bool { return want[name] == "" && w.note.Details[name] == "" })
	maps.DeleteFunc(want, func(_, value string) bool { return value == "" })
	sizes, next := w.DecideValues(shopadapter.FieldDetails, held, want, w.note.Details)
	w.note.Details = next
	maps.Copy(w.fields, fieldsOf(sizes))
}

// planDetails adds to the change of a variant what differs of its details and its EAN, with the
// note that speaks of them.
func (w *write) planDetails(v kit.Wanted[variant], structural bool, change input) {
	held, merge := v.Held, &w.Merge
	if held == nil {
		held, merge = &variant{}, &kit.Merge{Changed: shopadapter.FieldDetails, Own: true}
	}
	last, write := held.noted(), map[string]string{}
	if !w.p.Unknown.Has(shopadapter.FieldDetails) {
		write, last = merge.DecideValues(shopadapter.FieldDetails, held.details(), w.detailsOf(v.Variant), last)
	}
	if structural && !w.p.Unknown.Has(shopadapter.FieldVariants) {
		follow := kit.Merge{Changed: shopadapter.FieldVariants, Reset: shopadapter.FieldVariants}
		ean, next := follow.DecideValues(
			shopadapter.FieldVariants, map[string]string{"ean": held.EAN}, map[string]string{"ean": v.EAN}, last,
		)
		maps.Copy(write, ean)
		last = next
	}
	marks := metadata{}
	for _, name := range told() {
		if value, ok := write[name]; ok {
			marks[name] = value
			delete(write, name)
		}
	}
	maps.Copy(change, fieldsOf(write))
	noted := ""
	if len(last) > 0 {
		noted = kit.Encode(last)
	}
	if noted != held.Metadata.text(detailMark) {
		marks[detailMark] = noted
	}
	if given, ok := change["metadata"].(metadata); ok {
		maps.Copy(given, marks)
	} else if len(marks) > 0 {
		change["metadata"] = marks
	}
}

// noted is what the note of a variant's details says. Somebody's own text is no note.
func (v *variant) noted() kit.Values {
	last := kit.Values{}
	if json.Unmarshal([]byte(v.Metadata.text(detailMark)), &last) != nil {
		return nil
	}
	return last
}

// details are what Medusa holds of a variant's details.
func (v *variant) details() map[string]string {
	held := v.sizes.held()
	for _, name := range told() {
		held[name] = v.Metadata.whole(name)
	}
	return held
}
