package detail

import (
	"maps"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
)

// EAN is the name of the EAN, which WooCommerce keeps as global_unique_id.
const EAN = "ean"

const eanField = "global_unique_id"

// A Sizer says which sizes variants shall have.
type Sizer struct {
	Groups shopadapter.Fields // FieldDetails: weight and size; FieldVariants: the EAN
	Given  shopadapter.Units  // of the supplier's decimals
	Shop   shopadapter.Units  // of the shop's, in which they are written; the zero Units: not known
}

// Wanted is the sizes of a variant by their names, in the shop's form.
func (s Sizer) Wanted(v shopadapter.Variant) map[string]string {
	want := map[string]string{}
	if s.sizes() {
		want["weight"] = s.Given.WeightIn(v.Weight, s.Shop.Weight)
		for name, figure := range map[string]string{"length": v.Length, "width": v.Width, "height": v.Height} {
			want[name] = s.Given.LengthIn(figure, s.Shop.Length)
		}
	}
	if s.Groups.Has(shopadapter.FieldVariants) {
		want[EAN] = cleanEAN(v.EAN)
	}
	return want
}

// sizes reports whether weight and size are written.
func (s Sizer) sizes() bool { return s.Groups.Has(shopadapter.FieldDetails) && s.Shop.KnowsUnits() }

// Held is the sizes that the shop holds, of the names that are written. A value that a variation
// shows and that is its product's, above, is none, unless the note says that it was written.
func (s Sizer) Held(shown, above rest.Sizes, note Note) map[string]string {
	held, inherited := s.named(shown), s.named(above)
	for name, value := range held {
		if value == inherited[name] && !note.Is(name, value) {
			held[name] = ""
		}
	}
	return held
}

func (s Sizer) named(shown rest.Sizes) map[string]string {
	held := map[string]string{}
	if s.sizes() {
		held["weight"], held["length"] = number(shown.Weight), number(shown.Dimensions.Length)
		held["width"], held["height"] = number(shown.Dimensions.Width), number(shown.Dimensions.Height)
	}
	if s.Groups.Has(shopadapter.FieldVariants) {
		held[EAN] = string(shown.EAN)
	}
	return held
}

// number is a decimal without the zeros that mean nothing. Another text stays as it is.
func number(text rest.Text) string {
	d, err := decimal.NewFromString(string(text))
	switch {
	case err != nil:
		return string(text)
	case d.IsZero():
		return ""
	}
	return d.String()
}

// cleanEAN is an EAN as WooCommerce keeps it, "" for one of which it would drop something.
func cleanEAN(ean string) string {
	ean = strings.ReplaceAll(ean, " ", "")
	if strings.Trim(ean, "0123456789-") != "" {
		return ""
	}
	return ean
}

// Digest tells what variants shall have of a group from anything else, "" for nothing at all.
func (s Sizer) Digest(variants []shopadapter.Variant, group shopadapter.Fields) string {
	var all []string
	s.Groups = group
	for _, v := range variants {
		want := s.Wanted(v)
		maps.DeleteFunc(want, func(_, value string) bool { return value == "" })
		if len(want) > 0 {
			all = append(all, v.ID+stamp.Encode(want))
		}
	}
	if len(all) == 0 {
		return ""
	}
	slices.Sort(all)
	return stamp.Digest(strings.Join(all, "\n"), 6)
}

// Fields is values as the API accepts them: "" empties a field.
func Fields(values map[string]string) map[string]any {
	body, dimensions := map[string]any{}, map[string]any{}
	for name, value := range values {
		switch name {
		case EAN:
			body[eanField] = value
		case "weight":
			body[name] = value
		default:
			dimensions[name] = value
		}
	}
	if len(dimensions) > 0 {
		body["dimensions"] = dimensions
	}
	return body
}

// EANOf is the EAN that a body is to write, "" for none.
func EANOf(body map[string]any) string {
	ean, _ := body[eanField].(string)
	return ean
}

// WithoutEAN has a body empty the EAN: the one that the variation had is another's too, or was.
func WithoutEAN(body map[string]any) {
	body[eanField] = ""
	list, _ := body["meta_data"].([]map[string]any)
	for i, entry := range list {
		if text, _ := entry["value"].(string); entry["key"] == rest.NoteKey {
			note := ReadNote(text)
			note.Forget(EAN)
			list[i] = Meta(note)
		}
	}
}

// Meta is a note as an entry of metadata.
func Meta(n Note) map[string]any {
	var value any
	if text := n.Text(); text != "" {
		value = text
	}
	return map[string]any{"key": rest.NoteKey, "value": value}
}
