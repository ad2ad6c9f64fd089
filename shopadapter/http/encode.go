package httpshop

import (
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
	p.Options, p.Images, p.Shipping = whole(p.Options), whole(p.Images), whole(p.Shipping)
	variants := make([]shopadapter.Variant, len(p.Variants))
	for i, v := range p.Variants {
		v.Options = whole(v.Options)
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
	}{whole(variants), updatedAt, changed})
}

// whole is a list that is not null in JSON.
func whole[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}
