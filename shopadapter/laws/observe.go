package laws

import (
	"cmp"
	"context"
	"fmt"
	"html"
	"maps"
	"math/big"
	"slices"
	"sort"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// snapshot is what the shop holds, in an order that does not depend on the shop's.
func (b *bench) snapshot(ctx context.Context) ([]Seen, error) {
	products, err := b.Observe(ctx)
	if err != nil {
		return nil, fmt.Errorf("observe: %w", err)
	}
	products = slices.Clone(products)
	for i := range products {
		products[i].Variants = slices.Clone(products[i].Variants)
		variants := products[i].Variants
		sort.Slice(variants, func(x, y int) bool {
			a, b := variants[x], variants[y]
			return cmp.Or(strings.Compare(a.ID, b.ID), strings.Compare(a.ShopID, b.ShopID)) < 0
		})
	}
	sort.Slice(products, func(x, y int) bool { return products[x].Listing < products[y].Listing })
	return products, nil
}

// all is what the shop holds for a publication.
func (b *bench) all(ctx context.Context, id shopadapter.PublicationID) ([]Seen, error) {
	if b.ObserveOne != nil && id != "" {
		products, err := b.ObserveOne(ctx, id)
		if err != nil {
			err = fmt.Errorf("observe: %w", err)
		}
		return products, err
	}
	products, err := b.snapshot(ctx)
	return slices.DeleteFunc(products, func(s Seen) bool { return s.Publication != id }), err
}

// unstamped counts the products that the adapter does not own up to.
func (b *bench) unstamped(ctx context.Context) (int, error) {
	products, err := b.all(ctx, "")
	return len(products), err
}

// one is the only listing of a publication.
func (b *bench) one(ctx context.Context, id shopadapter.PublicationID) (Seen, error) {
	products, err := b.all(ctx, id)
	if err != nil {
		return Seen{}, err
	}
	if len(products) != 1 {
		return Seen{}, fmt.Errorf("listings of %q in the shop: got %d, want 1", id, len(products))
	}
	b.mu.Lock()
	last := b.listings[id]
	b.mu.Unlock()
	if got := products[0].Listing; last != "" && got != last {
		return Seen{}, fmt.Errorf(
			"the listing of %q in the shop: got %s, want the one that publish returned, %s",
			id,
			got,
			last,
		)
	}
	return products[0], nil
}

// expect is nil when the shop holds exactly one listing of p, on sale, and it shows what p says.
func (b *bench) expect(ctx context.Context, p shopadapter.Product) error {
	return b.expectIn(ctx, p, shopadapter.AllFields)
}

func (b *bench) expectIn(ctx context.Context, p shopadapter.Product, groups shopadapter.Fields) error {
	s, err := b.one(ctx, p.ID)
	if err != nil {
		return err
	}
	if !s.OnSale {
		return fmt.Errorf("the listing of %q is not on sale", p.ID)
	}
	return b.compare(s, p, groups)
}

// expectOffSale is nil when no listing of id is on sale.
func (b *bench) expectOffSale(ctx context.Context, id shopadapter.PublicationID) error {
	products, err := b.all(ctx, id)
	if err != nil {
		return err
	}
	for _, s := range products {
		if s.OnSale {
			return fmt.Errorf("listing %s of %q is on sale", s.Listing, id)
		}
	}
	return nil
}

// expectNone is nil when the shop holds no listing of id at all.
func (b *bench) expectNone(ctx context.Context, id shopadapter.PublicationID) error {
	products, err := b.all(ctx, id)
	if err == nil && len(products) > 0 {
		return fmt.Errorf("listings of %q in the shop: got %d, want 0", id, len(products))
	}
	return err
}

// compare lists in one error where s shows something else than p, within the groups given and not
// hidden.
func (b *bench) compare(s Seen, p shopadapter.Product, groups shopadapter.Fields) error {
	groups &^= b.Hidden
	var differences []string
	differ := func(what string, got, want any) {
		differences = append(differences, fmt.Sprintf("%s: got %q, want %q", what, fmt.Sprint(got), fmt.Sprint(want)))
	}
	if groups.Has(shopadapter.FieldTitle) && Plain(s.Title) != Plain(html.EscapeString(p.Title)) {
		differ("title", Plain(s.Title), p.Title)
	}
	if groups.Has(shopadapter.FieldDescription) && Plain(s.Description) != Plain(p.Description) {
		differ("description", Plain(s.Description), Plain(p.Description))
	}
	if category := Plain(s.Category); groups.Has(shopadapter.FieldCategory) && !shows(category, p.Category) {
		differ("category", category, p.Category.Path)
	}
	if groups.Has(shopadapter.FieldImages) && !slices.Equal(s.Images, p.Images) {
		differ("images", s.Images, p.Images)
	}
	differences = append(differences, b.compareVariants(s.Variants, p.Variants, groups)...)
	if len(differences) == 0 {
		return nil
	}
	return fmt.Errorf("the listing of %q differs: %s", p.ID, strings.Join(differences, "; "))
}

// shows reports whether a shop's word for a category is that of c: its path, its name, or the names
// of its branch with any separator between them.
func shows(seen string, c shopadapter.Category) bool {
	if seen == c.Path || seen == c.Name || seen == Plain(c.Label()) {
		return true
	}
	names := strings.FieldsFunc(seen, func(r rune) bool { return strings.ContainsRune(">›/|»", r) })
	return slices.EqualFunc(
		names,
		c.Names(),
		func(a, b string) bool { return strings.TrimSpace(a) == Plain(html.EscapeString(b)) },
	)
}

func (b *bench) compareVariants(
	seen []SeenVariant, want []shopadapter.Variant, groups shopadapter.Fields,
) (differences []string) {
	byID := make(map[string]SeenVariant, len(seen))
	for _, s := range seen {
		byID[s.ID] = s
	}
	if groups.Has(shopadapter.FieldVariants) && len(seen) != len(want) {
		differences = append(differences, fmt.Sprintf("variants: got %d, want %d", len(seen), len(want)))
	}
	for _, v := range want {
		s, ok := byID[v.ID]
		if !ok {
			if groups.Has(shopadapter.FieldVariants) {
				differences = append(differences, fmt.Sprintf("variant %s is missing", v.ID))
			}
			continue
		}
		differ := func(what string, got, want any) {
			differences = append(
				differences,
				fmt.Sprintf("%s of variant %s: got %q, want %q", what, v.ID, fmt.Sprint(got), fmt.Sprint(want)),
			)
		}
		if groups.Has(shopadapter.FieldVariants) && s.SKU != v.SKU {
			differ("sku", s.SKU, v.SKU)
		}
		if options := optionMap(v.Options); groups.Has(shopadapter.FieldVariants) && !b.HiddenOptions &&
			!maps.Equal(optionsPlain(s.Options), options) {
			differ("choice", s.Options, options)
		}
		if groups.Has(shopadapter.FieldPrice) && !sameAmount(s.Price, v.Price) {
			differ("price", s.Price, v.Price)
		}
		if groups.Has(shopadapter.FieldStock) && s.Quantity != v.Quantity {
			differ("quantity", s.Quantity, v.Quantity)
		}
		if groups.Has(shopadapter.FieldStock) && s.Backorders != v.Backorders {
			differ("backorders", s.Backorders, v.Backorders)
		}
	}
	return differences
}

func optionMap(options []shopadapter.Option) map[string]string {
	m := make(map[string]string, len(options))
	for _, o := range options {
		m[o.Name] = o.Value
	}
	return m
}

func optionsPlain(options map[string]string) map[string]string {
	m := make(map[string]string, len(options))
	for name, value := range options {
		m[Plain(name)] = Plain(value)
	}
	return m
}

// text is one text group of s in a form that can be compared.
func text(s Seen, group shopadapter.Fields) string {
	switch group {
	case shopadapter.FieldTitle:
		return Plain(s.Title)
	case shopadapter.FieldDescription:
		return Plain(s.Description)
	case shopadapter.FieldCategory:
		return Plain(s.Category)
	default:
		return strings.Join(s.Images, " ")
	}
}

// Plain is the text of HTML or of plain text. It is the same whether or not the shop escapes what
// it stores, and however it breaks lines.
func Plain(markup string) string {
	var b strings.Builder
	for rest := markup; rest != ""; {
		before, after, found := strings.Cut(rest, "<")
		b.WriteString(before)
		_, tail, closed := strings.Cut(after, ">")
		switch {
		case !found:
			rest = ""
		case !closed:
			b.WriteString("<" + after)
			rest = ""
		default:
			b.WriteByte(' ')
			rest = tail
		}
	}
	return strings.Join(strings.Fields(html.UnescapeString(b.String())), " ")
}

func sameAmount(a, b string) bool {
	x, okX := new(big.Rat).SetString(a)
	y, okY := new(big.Rat).SetString(b)
	return okX && okY && x.Cmp(y) == 0
}

// notBelow reports whether a is an amount that is not below b.
func notBelow(a, b string) bool {
	x, okX := new(big.Rat).SetString(a)
	y, okY := new(big.Rat).SetString(b)
	return okX && okY && x.Cmp(y) >= 0
}
