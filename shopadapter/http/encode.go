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
	p.Options, p.Images, p.Shipping = list(p.Options), list(p.Images), list(p.Shipping)
	variants := make([]shopadapter.Variant, len(p.Variants))
	for i, v := range p.Variants {
		v.Options = list(v.Options)
		variants[i] = v
	}
	p.Variants = variants
	return wire.Encode(struct {
		shopadapter.Product
		Changed shopadapter.Fields `json:"changed"`
		Reset   shopadapter.Fields `json:"reset,omitempty"`
		Revive  bool               `json:"revive,omitempty"`
	}{p, changed, ref.Reset, ref.Revive})
}

// encodeFigures is the body of a PATCH: the figures of all variants, when the marketplace last
// changed the product, and the names of what changed.
func encodeFigures(variants []shopadapter.Figures, updatedAt string, changed shopadapter.Fields) ([]byte, error) {
	return wire.Encode(struct {
		Variants  []shopadapter.Figures `json:"variants"`
		UpdatedAt string                `json:"updatedAt"`
		Changed   shopadapter.Fields    `json:"changed"`
	}{list(variants), updatedAt, changed})
}

// list is a list that is not null in JSON.
func list[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}

// A lasting is what was last sent of the groups that may be unknown in a later product: a body is
// always whole. It is the state that is left with the caller.
type lasting struct {
	Images   []string               `json:"i,omitempty"`
	Category shopadapter.Category   `json:"c"`
	Shipping []shopadapter.Shipping `json:"s,omitempty"`
	Returns  string                 `json:"r,omitempty"`
	Brand    string                 `json:"n,omitempty"`
	Variants map[string]described   `json:"v,omitempty"`
}

type described struct {
	EAN string `json:"ean,omitempty"`
	shopadapter.Details
}

// mostKept bounds a state: of a product with more than that nothing is kept.
const mostKept = 16 << 10

// keep is the state that a product leaves.
func keep(p shopadapter.Product) []byte {
	r := lasting{p.Images, p.Category, p.Shipping, p.Returns, p.Brand, map[string]described{}}
	for _, v := range p.Variants {
		if v.EAN != "" || len(v.List()) > 0 {
			r.Variants[v.ID] = described{v.EAN, v.Details}
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
		p.Category = last.Category
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
			v.EAN = last.Variants[v.ID].EAN
		}
		if p.Unknown.Has(shopadapter.FieldDetails) {
			v.Details = last.Variants[v.ID].Details
		}
	}
	return p
}
