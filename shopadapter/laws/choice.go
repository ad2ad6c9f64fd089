package laws

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

// changes are the supplier's to the variants of a product, by the names that the book gives them.
var changes = map[string]func(p *shopadapter.Product){
	"remove-second": func(p *shopadapter.Product) { p.Variants = slices.Delete(p.Variants, 1, 2) },
	"remove-first":  func(p *shopadapter.Product) { p.Variants = slices.Delete(p.Variants, 0, 1) },
	"add":           func(p *shopadapter.Product) { p.Variants = append(p.Variants, variant(p.ID, 6, true)) },
	"add-blue-and-pink": func(p *shopadapter.Product) { // a variant of a known value, and one of a new one
		blue, pink := variant(p.ID, 6, true), variant(p.ID, 7, true)
		blue.Options[0].Value, pink.Options[0].Value = "Blue", "Pink"
		p.Variants = append(p.Variants, blue, pink)
	},
	"reverse": func(p *shopadapter.Product) { slices.Reverse(p.Variants) },
	"rename": func(p *shopadapter.Product) {
		v := &p.Variants[1]
		v.Title, v.Options[0].Value, v.SKU = "Azure / 40 cm", "Azure", v.SKU+"-AZURE"
	},
	"rename-value": func(p *shopadapter.Product) {
		p.Variants[0].Options[0].Value, p.Variants[0].Title = "Crimson", "Crimson"
	},
	"rename-option": func(p *shopadapter.Product) {
		p.Options[0] = "Colour"
		for i := range p.Variants {
			p.Variants[i].Options[0].Name = "Colour"
		}
	},
	"replace": func(p *shopadapter.Product) { // by another of the same choice
		gone := p.Variants[0]
		p.Variants[0] = variant(p.ID, 7, true)
		p.Variants[0].Options, p.Variants[0].Title = gone.Options, gone.Title
	},
	"another-second": func(p *shopadapter.Product) { p.Variants[1] = variant(p.ID, 5, true) },
	"exchange-prices": func(p *shopadapter.Product) {
		p.Variants[0].Price, p.Variants[1].Price = p.Variants[1].Price, p.Variants[0].Price
	},
	"exchange-choices": func(p *shopadapter.Product) {
		v, w := &p.Variants[1], &p.Variants[2]
		v.Options, w.Options, v.Title, w.Title = w.Options, v.Options, w.Title, v.Title
	},
	"one-left": func(p *shopadapter.Product) {
		p.Options, p.Variants = []string{}, p.Variants[:1]
		p.Variants[0].Options, p.Variants[0].Title = []shopadapter.Option{}, ""
	},
	"fewer":     func(p *shopadapter.Product) { p.Variants = p.Variants[:1] },
	"empty":     func(p *shopadapter.Product) { p.Variants = nil },
	"twice":     func(p *shopadapter.Product) { p.Variants[1].ID = p.Variants[0].ID },
	"figures":   func(p *shopadapter.Product) { p.Variants[1].Price, p.Variants[3].Quantity = "77.95", 0 },
	"sku":       func(p *shopadapter.Product) { p.Variants[2].SKU += "-NEW" },
	"sold-out":  func(p *shopadapter.Product) { p.Variants[2].Quantity = 0 },
	"backorder": func(p *shopadapter.Product) { p.Variants[0].Quantity, p.Variants[0].Backorders = 0, true },
	"own": func(p *shopadapter.Product) { // the adapter's own variant beside the merchant's
		p.Variants = append(p.Variants, variant(p.ID, len(p.Variants), true))
	},
}

// word is the merchant's word for one of the supplier's.
func (s *subject) word(of string) string { return cmp.Or(s.words[of], of) }

// visit holds what the page offers against the product: a choice for each variant, that leads to
// it, and no other that leads anywhere.
func (s *subject) visit() {
	choices, err := s.Visit(s.ctx, s.ref.Listing)
	s.must("visit", err)
	var d differences
	for _, w := range s.p.Variants {
		want := map[string]string{}
		for _, o := range w.Options {
			want[s.word(o.Name)] = s.word(o.Value)
		}
		i := slices.IndexFunc(choices, func(c Choice) bool { return maps.Equal(optionsPlain(c.Options), want) })
		if i < 0 {
			d.add(fmt.Sprint(want), "not offered", "offered")
			continue
		}
		got := choices[i]
		choices = slices.Delete(choices, i, i+1)
		if got.Quantity < 0 { // the page does not tell
			got.Quantity = w.Quantity
		}
		d.differ(fmt.Sprint(want), fmt.Sprint(got.SKU, ", in stock ", got.InStock, ", ", got.Quantity),
			fmt.Sprint(w.SKU, ", in stock ", w.Quantity > 0 || w.Backorders, ", ", w.Quantity))
		if !sameAmount(got.Price, w.Price) {
			d.add(fmt.Sprint("the price of ", want), got.Price, w.Price)
		}
	}
	for _, c := range choices {
		if c.SKU != "" {
			d.add(fmt.Sprint(c.Options, ", which no variant has"), c.SKU, "no SKU")
		}
	}
	s.must("a visitor meets what it should not", d.of("the page", s.p.ID))
}

// detail is what p gives of a detail for its i-th variant.
func detail(p shopadapter.Product, i int, name string) string {
	v := p.Variants[i]
	given := map[string]string{"brand": p.Brand, "ean": v.EAN}
	for _, one := range v.Details.List() {
		given[one.Name] = one.Value
	}
	return given[name]
}

// detail is what the shop shows of a detail of a variant, and whether it keeps it once for the
// product.
func (s Seen) detail(id, name string) (value string, whole bool) {
	if value, whole = s.Details[name]; whole {
		return value, true
	}
	if i := s.variant(id); i >= 0 {
		value = s.Variants[i].Details[name]
	}
	return value, false
}

// detailed ends the check unless the shop shows each detail that it keeps as the product gives it. Where
// the merchant typed one, it must show that.
func (s *subject) detailed() {
	var d differences
	seen := s.seen()
	for i, v := range s.p.Variants {
		for _, name := range s.Details {
			got, whole := seen.detail(v.ID, name)
			want, merchants := s.typed[name]
			if !merchants || i > 0 && !whole {
				want = detail(s.p, i, name)
			}
			if got != want && !sameAmount(got, want) {
				d.add(name+" of variant "+v.ID, got, want)
			}
		}
	}
	s.must("details", d.of("the listing", s.p.ID))
}
