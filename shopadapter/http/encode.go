package httpshop

import (
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/rest"
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
	p.Translations = present(p.Translations)
	p.Options, p.Images, p.Shipping = list(p.Options), list(p.Images), list(p.Shipping)
	variants := make([]shopadapter.Variant, len(p.Variants))
	for i, v := range p.Variants {
		v.Options = list(v.Options)
		variants[i] = v
	}
	p.Variants = variants
	return rest.Encode(struct {
		shopadapter.Product
		Changed shopadapter.Fields `json:"changed"`
		Reset   shopadapter.Fields `json:"reset,omitempty"`
		Revive  bool               `json:"revive,omitempty"`
	}{p, changed, ref.Reset, ref.Revive})
}

// EncodeFigures is the body of a PATCH: the figures of all variants, when the marketplace last
// changed the product, and the names of what changed.
func EncodeFigures(variants []shopadapter.Figures, updatedAt string, changed shopadapter.Fields) ([]byte, error) {
	return rest.Encode(struct {
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

// present is a map that is not null in JSON.
func present[K comparable, V any](m map[K]V) map[K]V {
	if m == nil {
		return map[K]V{}
	}
	return m
}
