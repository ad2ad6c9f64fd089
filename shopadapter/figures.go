package shopadapter

import "slices"

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
	only := Product{ID: p.ID, UpdatedAt: p.UpdatedAt, Figures: true}
	for _, v := range p.Variants {
		only.Variants = append(only.Variants, Variant{ID: v.ID})
	}
	return only.With(FieldPrice|FieldStock, p)
}

// Refigured is the product with the figures of another; ok is false where these are not the figures of
// its variants, all of them.
func (p Product) Refigured(figures Product) (out Product, ok bool) {
	ids := func(of Product) (ids []string) {
		for _, v := range of.Variants {
			ids = append(ids, v.ID)
		}
		slices.Sort(ids)
		return ids
	}
	return p.With(FieldPrice|FieldStock, figures), slices.Equal(ids(p), ids(figures))
}
