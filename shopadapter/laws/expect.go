package laws

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// snapshot is what the shop holds, in an order that does not depend on the shop's.
func (b *bench) snapshot() []Seen {
	products, err := b.Observe(b.ctx)
	b.must("observe", err)
	return sorted(products)
}

func sorted(products []Seen) []Seen {
	products = slices.Clone(products)
	for i := range products {
		products[i].Variants = slices.SortedFunc(slices.Values(products[i].Variants), func(v, w SeenVariant) int {
			return cmp.Or(strings.Compare(v.ID, w.ID), strings.Compare(v.ShopID, w.ShopID))
		})
	}
	slices.SortFunc(products, func(s, t Seen) int { return cmp.Compare(s.Listing, t.Listing) })
	return products
}

// all is what the shop holds for a publication; of "" what the adapter does not own up to.
func (b *bench) all(id shopadapter.PublicationID) []Seen {
	if b.ObserveOne != nil && id != "" {
		products, err := b.ObserveOne(b.ctx, id)
		b.must("observe", err)
		return sorted(products)
	}
	return slices.DeleteFunc(b.snapshot(), func(s Seen) bool { return s.Publication != id })
}

// held is what the shop holds under an id of its own.
func (b *bench) held(listing shopadapter.ListingID) Seen {
	products := b.snapshot()
	i := slices.IndexFunc(products, func(s Seen) bool { return s.Listing == listing })
	if i < 0 {
		b.fail("the merchant's product %s is gone", listing)
	}
	return products[i]
}

// isGone ends the check unless the publication has left the shop in the way given.
func (b *bench) isGone(id shopadapter.PublicationID, how shopadapter.Removal) {
	for _, s := range b.all(id) {
		if s.OnSale {
			b.fail("listing %s of %q is on sale", s.Listing, id)
		} else if how == shopadapter.Delete {
			b.fail("listings of %q in the shop: got %s, want none", id, s.Listing)
		}
	}
}

// differences are lines of what is not as it should be.
type differences []string

func (d *differences) add(what string, got, want any) {
	*d = append(*d, fmt.Sprintf("%s: got %q, want %q", what, fmt.Sprint(got), fmt.Sprint(want)))
}

// differ adds where got is not want.
func (d *differences) differ(what, got, want string) {
	if got != want {
		d.add(what, got, want)
	}
}

// of is nil where there are none.
func (d differences) of(what string, id shopadapter.PublicationID) error {
	if len(d) == 0 {
		return nil
	}
	return fmt.Errorf("%s of %q differs: %s", what, id, strings.Join(d, "; "))
}

// compare is an error of where s shows something else than p, within the groups given and not
// hidden.
func (b *bench) compare(s Seen, p shopadapter.Product, groups shopadapter.Fields) error {
	groups &^= b.Hidden
	var d differences
	want := map[shopadapter.Fields]string{
		shopadapter.FieldTitle: Plain(html.EscapeString(p.Title)), shopadapter.FieldDescription: Plain(p.Description),
		shopadapter.FieldImages: strings.Join(p.Images, " "), shopadapter.FieldCategory: p.Category.Path,
	}
	for _, group := range textGroups {
		got := text(s, group)
		same := got == want[group] || group == shopadapter.FieldCategory && isCategory(got, p.Category)
		if groups.Has(group) && !same {
			d.add(group.String(), got, want[group])
		}
	}
	structure := groups.Has(shopadapter.FieldVariants)
	if structure && len(s.Variants) != len(p.Variants) {
		d.add("variants", len(s.Variants), len(p.Variants))
	}
	for _, want := range p.Variants {
		if i := s.variant(want.ID); i >= 0 {
			b.compareVariant(&d, s.Variants[i], want, groups)
		} else if structure {
			d.add("variant "+want.ID, "none", "one")
		}
	}
	return d.of("the listing", p.ID)
}

// variant is the index of a variant, or -1.
func (s Seen) variant(id string) int {
	return slices.IndexFunc(s.Variants, func(v SeenVariant) bool { return v.ID == id })
}

func (b *bench) compareVariant(d *differences, s SeenVariant, v shopadapter.Variant, groups shopadapter.Fields) {
	of := " of variant " + v.ID
	if groups.Has(shopadapter.FieldVariants) {
		if s.SKU != v.SKU {
			d.add("sku"+of, s.SKU, v.SKU)
		}
		if options := optionMap(v.Options); !b.HiddenOptions && !maps.Equal(optionsPlain(s.Options), options) {
			d.add("choice"+of, s.Options, options)
		}
	}
	if groups.Has(shopadapter.FieldPrice) && !sameAmount(s.Price, v.Price) {
		d.add("price"+of, s.Price, v.Price)
	}
	if groups.Has(shopadapter.FieldStock) && (s.Quantity != v.Quantity || s.Backorders != v.Backorders) {
		d.add("quantity and backorders"+of, fmt.Sprint(s.Quantity, s.Backorders), fmt.Sprint(v.Quantity, v.Backorders))
	}
}

// isCategory reports whether a shop's word for a category is that of c: its path, its name, or the
// names of its branch with any separator between them.
func isCategory(seen string, c shopadapter.Category) bool {
	if seen == c.Path || seen == c.Name || seen == Plain(c.Label()) {
		return true
	}
	names := strings.FieldsFunc(seen, func(r rune) bool { return strings.ContainsRune(">›/|»", r) })
	same := func(a, b string) bool { return strings.TrimSpace(a) == Plain(html.EscapeString(b)) }
	return slices.EqualFunc(names, c.Names(), same)
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
		if found && !closed {
			b.WriteString("<" + after)
		} else if found {
			b.WriteByte(' ')
		}
		rest = tail
	}
	return strings.Join(strings.Fields(html.UnescapeString(b.String())), " ")
}

func sameAmount(a, b string) bool { return notBelow(a, b) && notBelow(b, a) }

// notBelow reports whether a is an amount that is not below b.
func notBelow(a, b string) bool {
	x, okX := new(big.Rat).SetString(a)
	y, okY := new(big.Rat).SetString(b)
	return okX && okY && x.Cmp(y) >= 0
}

// difference is the lines of JSON that only one of two values of one type has, "" where they are
// equal.
func difference(before, after any) string {
	if reflect.DeepEqual(before, after) {
		return ""
	}
	was, is := linesOf(before), linesOf(after)
	var lines []string
	only := func(mark string, of, others []string) {
		for _, line := range of {
			if !slices.Contains(others, line) {
				lines = append(lines, mark+line)
			}
		}
	}
	only("- ", was, is)
	if only("+ ", is, was); len(lines) == 0 { // it is in the order, or in what JSON does not show
		return fmt.Sprintf("- %#v\n+ %#v", before, after)
	}
	return strings.Join(lines, "\n")
}

func linesOf(v any) []string {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		data = fmt.Appendf(nil, "%#v", v)
	}
	return strings.Split(string(data), "\n")
}
