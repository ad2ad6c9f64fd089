package publication

import (
	"cmp"
	"math"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

// A Planned is one change that a step would make, as a plan shows it.
type Planned struct {
	ID string `json:"id"`
	Change

	Title string `json:"title,omitempty"`
	// of a new price, see [PriceRule.Margin]
	Margin *float64 `json:"marginPercent,omitempty"`
}

// Planned are the changes of a step with what a person knows them by.
func (s *Settings) Planned(st Step) (out []Planned) {
	r := st.in.Rec
	for _, c := range Diff(r, st) {
		p := Planned{ID: r.ID, Change: c, Title: cmp.Or(st.Product.Title, r.Title)}
		i := slices.IndexFunc(st.Product.Variants, func(v shopadapter.Variant) bool { return v.ID == c.Variant })
		if i >= 0 && c.Field == shopadapter.FieldPrice.String() {
			p.Margin = s.marginOf(st.Product.Variants[i])
		}
		out = append(out, p)
	}
	return out
}

// marginOf is that of a variant's price in tenths of a percent; nil: its cost is not known.
func (s *Settings) marginOf(v shopadapter.Variant) *float64 {
	percent, ok := s.Price.Margin(v.Price, v.Cost)
	if !ok {
		return nil
	}
	return new(math.Round(percent*10) / 10)
}

// A Creation is a listing that a step makes.
type Creation struct {
	ID       string       `json:"id"`
	Title    string       `json:"title"`
	Variants []FirstPrice `json:"variants"`
}

// A FirstPrice is a variant of a listing that is to be made.
type FirstPrice struct {
	ID     string   `json:"id"`
	Title  string   `json:"title"`
	Price  string   `json:"price"`
	Margin *float64 `json:"marginPercent,omitempty"` // nil: its cost is not known
}

// Creation is the listing that a step which Creates makes.
func (s *Settings) Creation(st Step) Creation {
	c := Creation{ID: st.in.Rec.ID, Title: st.Product.Title, Variants: []FirstPrice{}}
	for _, v := range st.Product.Variants {
		c.Variants = append(c.Variants, FirstPrice{ID: v.ID, Title: v.Title, Price: v.Price, Margin: s.marginOf(v)})
	}
	return c
}
