package shopadapter

import "maps"

// Figures are the price and the stock of one variant. See Variant.
type Figures struct {
	ID         string `json:"id"`
	Price      string `json:"price"`
	Cost       string `json:"cost"`
	MSRP       string `json:"msrp"`
	Quantity   int    `json:"quantity"`
	Backorders bool   `json:"backorders"`
}

// FiguresOf is the figures of variants.
func FiguresOf(variants []Variant) []Figures {
	out := make([]Figures, len(variants))
	for i, v := range variants {
		out[i] = Figures{v.ID, v.Price, v.Cost, v.MSRP, v.Quantity, v.Backorders}
	}
	return out
}

// OnlyFigures is the product of which nothing is known but the figures of its variants.
func (p Product) OnlyFigures() Product {
	only := Product{ID: p.ID, UpdatedAt: p.UpdatedAt, Figures: true, Variants: make([]Variant, len(p.Variants))}
	for i, f := range FiguresOf(p.Variants) {
		only.Variants[i] = f.On(Variant{ID: f.ID})
	}
	return only
}

// On is a variant with these figures in place of its own.
func (f Figures) On(v Variant) Variant {
	v.Price, v.Cost, v.MSRP, v.Quantity, v.Backorders = f.Price, f.Cost, f.MSRP, f.Quantity, f.Backorders
	return v
}

// Refigured is the product with the figures of another; ok is false where these are not the figures of
// its variants, all of them.
func (p Product) Refigured(figures Product) (out Product, ok bool) {
	ids := func(of Product) map[string]int {
		count := map[string]int{}
		for _, v := range of.Variants {
			count[v.ID]++
		}
		return count
	}
	return p.With(FieldPrice|FieldStock, figures), maps.Equal(ids(p), ids(figures))
}
