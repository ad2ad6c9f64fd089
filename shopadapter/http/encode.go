package httpshop

import (
	"encoding/json"

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

// A lasting is the state that a product leaves: what was last sent of the groups that may be unknown in a
// later one, since a body is always whole.
type lasting struct {
	Category *shopadapter.Category  `json:"c"` // in every state: one without is of another form
	Images   []string               `json:"i,omitempty"`
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
const mostKept = 64 << 10

// keep is the state of p.
func keep(p shopadapter.Product) []byte {
	last := lasting{&p.Category, p.Images, p.Shipping, p.Returns, p.Brand, map[string]described{}}
	for _, v := range p.Variants {
		if v.EAN != "" || len(v.List()) > 0 {
			last.Variants[v.ID] = described{v.EAN, v.Details}
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
	var last lasting
	if p.Unknown == shopadapter.NoFields || json.Unmarshal(state, &last) != nil || last.Category == nil {
		return p
	}
	p = p.With(p.Unknown&^shopadapter.FieldVariants, shopadapter.Product{
		Images: last.Images, Category: *last.Category, Brand: last.Brand,
		Shipping: last.Shipping, Returns: last.Returns,
	})
	for i := range p.Variants {
		v := &p.Variants[i]
		was, there := last.Variants[v.ID]
		if there && p.Unknown.Has(shopadapter.FieldVariants) { // the EAN alone may be unknown
			v.EAN = was.EAN
		}
		if there && p.Unknown.Has(shopadapter.FieldDetails) {
			v.Details = was.Details
		}
	}
	return p
}
