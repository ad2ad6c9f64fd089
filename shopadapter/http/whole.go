package httpshop

import (
	"encoding/json"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

// A lasting is what was last sent of the groups that may be unknown in a later product: a body is
// always whole. It is the state that is left with the caller.
type lasting struct {
	Images   []string               `json:"i,omitempty"`
	Category [2]string              `json:"c"` // path and name
	Branch   []shopadapter.Level    `json:"b,omitempty"`
	Shipping []shopadapter.Shipping `json:"s,omitempty"`
	Returns  string                 `json:"r,omitempty"`
	EANs     map[string]string      `json:"e,omitempty"` // by variant
	Brand    string                 `json:"n,omitempty"`

	Details map[string]shopadapter.Details `json:"d,omitempty"` // by variant
}

// mostKept bounds a state: of a product with more than that nothing is kept.
const mostKept = 16 << 10

// keep is the state that a product leaves.
func keep(p shopadapter.Product) []byte {
	r := lasting{
		Images:   p.Images,
		Category: [2]string{p.Category.Path, p.Category.Name},
		Shipping: p.Shipping,
		Returns:  p.Returns,
		EANs:     map[string]string{},
		Branch:   p.Category.Branch,
		Brand:    p.Brand,
		Details:  map[string]shopadapter.Details{},
	}
	for _, v := range p.Variants {
		if v.EAN != "" {
			r.EANs[v.ID] = v.EAN
		}
		if len(v.Details.List()) > 0 {
			r.Details[v.ID] = v.Details
		}
	}
	state, err := json.Marshal(r)
	if err != nil || len(state) > mostKept {
		return nil
	}
	return state
}

// whole is p with what was last sent in place of the groups that are unknown. Where that is not
// known any more they stay empty.
func whole(p shopadapter.Product, state []byte) shopadapter.Product {
	var last lasting
	if p.Unknown == shopadapter.NoFields || json.Unmarshal(state, &last) != nil {
		return p
	}
	if p.Unknown.Has(shopadapter.FieldImages) {
		p.Images = last.Images
	}
	if p.Unknown.Has(shopadapter.FieldCategory) {
		p.Category = shopadapter.Category{Path: last.Category[0], Name: last.Category[1], Branch: last.Branch}
	}
	if p.Unknown.Has(shopadapter.FieldBrand) {
		p.Brand = last.Brand
	}
	if p.Unknown.Has(shopadapter.FieldShipping) {
		p.Shipping, p.Returns = last.Shipping, last.Returns
	}
	p.Variants = slices.Clone(p.Variants)
	for i := range p.Variants {
		v := &p.Variants[i]
		if p.Unknown.Has(shopadapter.FieldVariants) {
			v.EAN = last.EANs[v.ID]
		}
		if p.Unknown.Has(shopadapter.FieldDetails) {
			v.Details = last.Details[v.ID]
		}
	}
	return p
}
