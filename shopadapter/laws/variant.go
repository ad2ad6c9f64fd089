package laws

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

// A change is one of the supplier's to a product.
type change struct {
	name string
	do   func(p *shopadapter.Product)
}

func checkVariants(b *bench) {
	s := b.published("choice", 4)
	for i, step := range []change{
		{"one removed", func(p *shopadapter.Product) { p.Variants = slices.Delete(p.Variants, 1, 2) }},
		{"one added", func(p *shopadapter.Product) { p.Variants = append(p.Variants, variant(p.ID, 6, true)) }},
		{"reordered", func(p *shopadapter.Product) { slices.Reverse(p.Variants) }},
		{"one renamed", func(p *shopadapter.Product) {
			p.Variants[1].Title, p.Variants[1].Options[0].Value = "Azure / 40 cm", "Azure"
			p.Variants[1].SKU += "-AZURE"
		}},
		{"an option renamed", func(p *shopadapter.Product) {
			p.Options[0] = "Colour"
			for i := range p.Variants {
				p.Variants[i].Options[0].Name = "Colour"
			}
		}},
		{"one replaced by another of the same choice", func(p *shopadapter.Product) {
			gone := p.Variants[0]
			p.Variants[0] = variant(p.ID, 7, true)
			p.Variants[0].Options, p.Variants[0].Title = gone.Options, gone.Title
		}},
	} {
		b.in("%s", step.name)
		before := s.l.ShopIDs()
		s.p = clone(s.p)
		step.do(&s.p)
		// A variant that is new to the shop is written whole, price and stock included, although only
		// the variants are said to have changed.
		s.put(shopadapter.FieldVariants)
		for id, now := range s.l.ShopIDs() {
			// where a choice changes, the shop may have to make it anew
			if was, there := before[id]; there && was != now && i < 3 {
				b.fail("the shop's id of variant %s: got %s, want %s", id, now, was)
			}
		}
	}
	s = b.subject("size", 1)
	for n, variants := range []int{1, 3, 1, 2, 1} {
		b.in("step %d, to %d variants", n, variants)
		s.p = b.sample(s.p.ID, variants)
		for i := range s.p.Variants {
			s.p.Variants[i].Quantity += 10 * n
		}
		s.put(structure)
	}
}

func checkChoice(b *bench) {
	v := b.visitor("choice")
	for _, step := range []change{
		{"creation", func(p *shopadapter.Product) { p.Variants[2].Quantity = 0 }},
		{"a variant added and one removed", func(p *shopadapter.Product) {
			p.Variants = append(slices.Delete(p.Variants, 1, 2), variant(p.ID, 6, true))
		}},
		{"prices exchanged", func(p *shopadapter.Product) {
			p.Variants[0].Price, p.Variants[1].Price = p.Variants[1].Price, p.Variants[0].Price
		}},
		{"a value renamed", func(p *shopadapter.Product) {
			p.Variants[0].Options[0].Value, p.Variants[0].Title = "Crimson", "Crimson / 40 cm"
		}},
		{"choices exchanged", func(p *shopadapter.Product) {
			p.Variants[1].Options, p.Variants[2].Options = p.Variants[2].Options, p.Variants[1].Options
			p.Variants[1].Title, p.Variants[2].Title = p.Variants[2].Title, p.Variants[1].Title
		}},
		{"one variant left", func(p *shopadapter.Product) {
			p.Options, p.Variants = []string{}, p.Variants[:1]
			p.Variants[0].Options, p.Variants[0].Title = []shopadapter.Option{}, ""
		}},
	} {
		b.in("%s", step.name)
		b.must("publish", v.supply(step))
		v.visit()
	}
}

func checkRenamedChoice(b *bench) {
	option := func(v *visitor) { v.rename("Color", "", "Farbe") }
	value := func(v *visitor) { v.rename("Color", "Blue", "Blau") }
	for name, renames := range map[string][]func(*visitor){
		"option": {option}, "value": {value}, "both": {option, value},
	} {
		for _, lost := range []bool{false, true} {
			b.in("the merchant renamed %s, the state is lost: %t", name, lost)
			v := b.visitor(fmt.Sprintf("%s-%t", name, lost))
			b.must("publish", v.supply(change{"creation", func(*shopadapter.Product) {}}))
			for _, rename := range renames {
				rename(v)
			}
			v.visit()
			v.goesOn(lost)
		}
	}
}

// goesOn changes the product after the merchant renamed something: each choice leads to its variant,
// or the change is blocked and the choices stay.
func (v *visitor) goesOn(lost bool) {
	part := v.part
	for _, step := range []change{
		{"prices alone change", func(p *shopadapter.Product) { p.Variants[1].Price, p.Variants[3].Quantity = "77.95", 0 }},
		{"a SKU changes", func(p *shopadapter.Product) { p.Variants[2].SKU += "-NEW" }},
		{"variants of a known value and of a new one are added", func(p *shopadapter.Product) {
			known, fresh := variant(p.ID, 6, true), variant(p.ID, 7, true)
			known.Options[0].Value, fresh.Options[0].Value = "Blue", "Pink"
			p.Variants = append(p.Variants, known, fresh)
		}},
		{"a variant is removed", func(p *shopadapter.Product) { p.Variants = slices.Delete(p.Variants, 0, 1) }},
	} {
		v.part = part + step.name + ": "
		before := clone(v.p)
		if lost {
			v.ref.State = nil
		}
		err := v.supply(step)
		if e := shopadapter.Explain(err); e != nil && e.Kind == shopadapter.Blocked {
			for i := range before.Variants { // prices and stock may have been written
				before.Variants[i].Price, before.Variants[i].Quantity = v.p.Variants[i].Price, v.p.Variants[i].Quantity
			}
			v.p = before
			v.visit()
			return
		}
		v.must("publish", err)
		v.visit()
	}
}

// A visitor looks at the page of one listing. Its words are the merchant's for the supplier's.
type visitor struct {
	*subject
	words map[string]string
}

func (b *bench) visitor(name string) *visitor {
	return &visitor{subject: b.subject(name, 5), words: map[string]string{}}
}

// supply publishes the product after a change of the supplier's.
func (v *visitor) supply(c change) error {
	changed := structure
	if v.ref.Listing == "" {
		changed = all
	}
	v.p = clone(v.p)
	c.do(&v.p)
	return v.try(changed)
}

// word is the merchant's word for one of the supplier's.
func (v *visitor) word(of string) string { return cmp.Or(v.words[of], of) }

// rename gives an option another name by hand, or one of its values.
func (v *visitor) rename(option, value, name string) {
	shown := v.word(option)
	if value == "" {
		v.words[option] = name
		v.byHand(v.RenameOption(v.ctx, v.ref.Listing, shown, name))
	} else {
		v.words[value] = name
		v.byHand(v.RenameValue(v.ctx, v.ref.Listing, shown, value, name))
	}
}

// visit holds what the page offers against the product: a choice for each variant, that leads to
// it, and no other that leads anywhere.
func (v *visitor) visit() {
	choices, err := v.Visit(v.ctx, v.ref.Listing)
	v.must("visit", err)
	var d differences
	for _, w := range v.p.Variants {
		want := map[string]string{}
		for _, o := range w.Options {
			want[v.word(o.Name)] = v.word(o.Value)
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
		is := fmt.Sprint(got.SKU, ", in stock ", got.InStock, ", ", got.Quantity)
		if shall := fmt.Sprint(w.SKU, ", in stock ", w.Quantity > 0 || w.Backorders, ", ", w.Quantity); is != shall {
			d.add(fmt.Sprint(want), is, shall)
		}
		if !sameAmount(got.Price, w.Price) {
			d.add(fmt.Sprint("the price of ", want), got.Price, w.Price)
		}
	}
	for _, c := range choices {
		if c.SKU != "" {
			d.add(fmt.Sprint(c.Options, ", which no variant has"), c.SKU, "no SKU")
		}
	}
	v.must("a visitor meets what it should not", d.of("the page", v.p.ID))
}
