package httpshop

import (
	"encoding/json"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// Encode is the body of a PUT: the product with every list present, empty rather than null, and the
// names of what changed.
func Encode(p shopadapter.Product, changed shopadapter.Fields) ([]byte, error) {
	return encode(p, changed, shopadapter.Ref{})
}

// encode is Encode, with what a person asked for: edits to be given back, and variants to be switched
// on. Those are members of the body where they are asked for alone.
func encode(p shopadapter.Product, changed shopadapter.Fields, ref shopadapter.Ref) ([]byte, error) {
	if len(p.Category.Branch) > 0 {
		p.Category.Name = p.Category.Label() // in the shop's language
	}
	p.Currency = "" // GET /health tells the shop's
	if p.Translations == nil {
		p.Translations = map[string]shopadapter.Translation{}
	}
	p.Options, p.Images = append([]string{}, p.Options...), append([]string{}, p.Images...)
	p.Shipping = append([]shopadapter.Shipping{}, p.Shipping...)
	p.Variants = append([]shopadapter.Variant{}, p.Variants...)
	for i, v := range p.Variants {
		p.Variants[i].Options = append([]shopadapter.Option{}, v.Options...)
	}
	return wire.Encode(struct {
		shopadapter.Product
		Changed shopadapter.Fields `json:"changed"`
		Reset   shopadapter.Fields `json:"reset,omitempty"`
		Revive  bool               `json:"revive,omitempty"`
	}{p, changed, ref.Reset, ref.Revive})
}

// mostKept bounds a state: of a product with more than that nothing is kept.
const mostKept = 64 << 10

// keep is the state that p leaves: what was sent of the groups that may be unknown in a later one, since a
// body is always whole.
func keep(p shopadapter.Product) []byte {
	const groups = shopadapter.FieldImages | shopadapter.FieldCategory | shopadapter.FieldShipping | shopadapter.FieldBrand
	last := shopadapter.Product{ID: p.ID}.With(groups, p)
	for _, v := range p.Variants {
		if v.EAN != "" || len(v.List()) > 0 {
			last.Variants = append(last.Variants, shopadapter.Variant{ID: v.ID, EAN: v.EAN, Details: v.Details})
		}
	}
	state, err := json.Marshal(last)
	if err != nil || len(state) > mostKept {
		return nil
	}
	return state
}

// whole is p with what was last sent in place of the groups that are unknown. Where that is not
// known any more they stay as they are.
func whole(p shopadapter.Product, state []byte) shopadapter.Product {
	var last shopadapter.Product
	if p.Unknown == shopadapter.NoFields || json.Unmarshal(state, &last) != nil || last.ID == "" {
		return p
	}
	p = p.With(p.Unknown&^shopadapter.FieldVariants, last)
	if p.Unknown.Has(shopadapter.FieldVariants) { // the EAN alone may be unknown
		for _, was := range last.Variants {
			i := slices.IndexFunc(p.Variants, func(v shopadapter.Variant) bool { return v.ID == was.ID })
			if i >= 0 {
				p.Variants[i].EAN = was.EAN
			}
		}
	}
	return p
}
