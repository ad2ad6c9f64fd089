package laws

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

func choiceLaws() []Law {
	return []Law{
		{
			ID: "choice", needs: needs(visit()), check: checkChoice,
			Sentence: "Each choice that the shop offers leads a visitor to that very variant: its SKU, its price, " +
				"its stock.",
		}, {
			ID: "renamed-choice", needs: needs(visit(), rename()), check: checkRenamedChoice,
			Sentence: "An option or a value that the merchant renamed keeps that name, and each choice goes on " +
				"leading to its variant; " +
				"what cannot be followed is blocked, and the choices stay as they were.",
		},
	}
}

const structure = shopadapter.FieldVariants | shopadapter.FieldPrice | shopadapter.FieldStock

func checkChoice(ctx context.Context, b *bench) error {
	v := newVisitor(b, "choice", 5)
	for _, step := range []struct {
		name   string
		change func(p *shopadapter.Product)
	}{
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
		if err := v.supply(ctx, step.change); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		if err := v.visit(ctx); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return nil
}

func checkRenamedChoice(ctx context.Context, b *bench) error {
	colour := func(ctx context.Context, v *visitor) error { return v.renameOption(ctx, "Color", "Farbe") }
	blue := func(ctx context.Context, v *visitor) error { return v.renameValue(ctx, "Color", "Blue", "Blau") }
	for _, c := range []struct {
		name   string
		rename []func(context.Context, *visitor) error
	}{
		{"an option", []func(context.Context, *visitor) error{colour}},
		{"a value", []func(context.Context, *visitor) error{blue}},
		{"both", []func(context.Context, *visitor) error{colour, blue}},
	} {
		for _, lost := range []bool{false, true} {
			name := strings.ReplaceAll(fmt.Sprintf("%s-%t", c.name, lost), " ", "-")
			if err := renamedChoice(ctx, newVisitor(b, name, 5), c.rename, lost); err != nil {
				return fmt.Errorf("the merchant renamed %s, the state is lost: %t: %w", c.name, lost, err)
			}
		}
	}
	return nil
}

func renamedChoice(ctx context.Context, v *visitor, renames []func(context.Context, *visitor) error, lost bool) error {
	if err := v.supply(ctx, func(*shopadapter.Product) {}); err != nil {
		return err
	}
	for _, rename := range renames {
		if err := rename(ctx, v); err != nil {
			return fmt.Errorf("rename by hand: %w", err)
		}
	}
	if err := v.visit(ctx); err != nil {
		return fmt.Errorf("renamed by hand, nothing written: %w", err)
	}
	for _, step := range []struct {
		name   string
		change func(p *shopadapter.Product)
	}{
		{"prices alone change", func(p *shopadapter.Product) { p.Variants[1].Price, p.Variants[3].Quantity = "77.95", 0 }},
		{"a SKU changes", func(p *shopadapter.Product) { p.Variants[2].SKU += "-NEW" }},
		{"variants of a known value and of a new one are added", func(p *shopadapter.Product) {
			known, fresh := variant(p.ID, 6, true), variant(p.ID, 7, true)
			known.Options[0].Value, fresh.Options[0].Value = "Blue", "Pink"
			p.Variants = append(p.Variants, known, fresh)
		}},
		{"a variant is removed", func(p *shopadapter.Product) { p.Variants = slices.Delete(p.Variants, 0, 1) }},
	} {
		before := clone(v.p)
		if lost {
			v.ref.State = nil
		}
		err := v.supply(ctx, step.change)
		if e := shopadapter.Explain(err); e != nil && e.Kind == shopadapter.Blocked {
			for i := range before.Variants { // prices and stock may have been written
				before.Variants[i].Price, before.Variants[i].Quantity = v.p.Variants[i].Price, v.p.Variants[i].Quantity
			}
			v.p = before
			return v.visit(ctx)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		if err := v.visit(ctx); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return nil
}

// A visitor looks at the page of one listing. Its maps are the merchant's words for the supplier's.
type visitor struct {
	*bench
	p       shopadapter.Product
	ref     shopadapter.Ref
	options map[string]string
	values  map[string]string
}

func newVisitor(b *bench, name string, variants int) *visitor {
	v := &visitor{
		bench:   b,
		p:       b.sample(b.id(name), variants),
		options: map[string]string{},
		values:  map[string]string{},
	}
	v.ref = b.ref(v.p.ID)
	return v
}

// supply publishes the product after a change of the supplier's.
func (v *visitor) supply(ctx context.Context, change func(p *shopadapter.Product)) error {
	fields := structure
	if v.ref.Listing == "" {
		fields = shopadapter.AllFields
	}
	v.p = clone(v.p)
	change(&v.p)
	ref, _, err := v.try(ctx, v.ref, v.p, fields)
	v.ref = ref
	return err
}

func (v *visitor) renameOption(ctx context.Context, option, name string) error {
	v.options[option] = name
	return v.RenameOption(ctx, v.ref.Listing, option, name)
}

func (v *visitor) renameValue(ctx context.Context, option, value, name string) error {
	v.values[value] = name
	if as := v.options[option]; as != "" {
		option = as
	}
	return v.RenameValue(ctx, v.ref.Listing, option, value, name)
}

// shown is a variant's choice in the merchant's words.
func (v *visitor) shown(w shopadapter.Variant) map[string]string {
	m := map[string]string{}
	for _, o := range w.Options {
		name, value := o.Name, o.Value
		if as := v.options[name]; as != "" {
			name = as
		}
		if as := v.values[value]; as != "" {
			value = as
		}
		m[name] = value
	}
	return m
}

// visit holds what the page offers against the product: a choice for each variant, that leads to
// it, and no other that leads anywhere.
func (v *visitor) visit(ctx context.Context) error {
	choices, err := v.Visit(ctx, v.ref.Listing)
	if err != nil {
		return fmt.Errorf("visit: %w", err)
	}
	var differences []string
	differ := func(format string, args ...any) { differences = append(differences, fmt.Sprintf(format, args...)) }
	for _, w := range v.p.Variants {
		want := v.shown(w)
		i := slices.IndexFunc(choices, func(c Choice) bool { return maps.Equal(optionsPlain(c.Options), want) })
		if i < 0 {
			differ("%v is not offered", want)
			continue
		}
		c := choices[i]
		choices = slices.Delete(choices, i, i+1)
		switch buyable := w.Quantity > 0 || w.Backorders; {
		case c.SKU != w.SKU:
			differ("the SKU of %v: got %q, want %q", want, c.SKU, w.SKU)
		case !sameAmount(c.Price, w.Price):
			differ("the price of %v: got %s, want %s", want, c.Price, w.Price)
		case c.InStock != buyable:
			differ("%v can be ordered: got %t, want %t", want, c.InStock, buyable)
		case c.Quantity >= 0 && c.Quantity != w.Quantity:
			differ("units of %v: got %d, want %d", want, c.Quantity, w.Quantity)
		}
	}
	for _, c := range choices {
		if c.SKU != "" {
			differ("%v, which no variant has: got the SKU %q, want none", c.Options, c.SKU)
		}
	}
	if len(differences) == 0 {
		return nil
	}
	return fmt.Errorf(
		"a visitor of the listing of %q meets what it should not: %s",
		v.p.ID,
		strings.Join(differences, "; "),
	)
}
