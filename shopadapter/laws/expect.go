package laws

import (
	"cmp"
	"fmt"
	"html"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// snapshot is what the shop holds, in a fixed order.
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

// all is what the shop holds for a publication, or without a stamp for "".
func (b *bench) all(id shopadapter.PublicationID) []Seen {
	if b.ObserveOne != nil && id != "" {
		products, err := b.ObserveOne(b.ctx, id)
		b.must("observe", err)
		return sorted(products)
	}
	return slices.DeleteFunc(b.snapshot(), func(s Seen) bool { return s.Publication != id })
}

func (b *bench) held(listing shopadapter.ListingID) Seen {
	products := b.snapshot()
	i := slices.IndexFunc(products, func(s Seen) bool { return s.Listing == listing })
	b.that(i >= 0, "the merchant's product %s is gone", listing)
	return products[i]
}

func (b *bench) compare(s Seen, p shopadapter.Product, groups shopadapter.Fields) {
	groups &^= b.Hidden
	wanted := Seen{
		Title: html.EscapeString(p.Title), Description: p.Description, Images: p.Images, Category: p.Category.Path,
	}
	for _, group := range textGroups {
		got, want := text(s, group), text(wanted, group)
		same := got == want || group == shopadapter.FieldCategory && isCategory(got, p.Category)
		b.that(same || !groups.Has(group), "%s of %q: got %q, want %q", group, p.ID, got, want)
	}
	structure := groups.Has(shopadapter.FieldVariants)
	if structure {
		b.equal(fmt.Sprintf("variants of %q", p.ID), len(s.Variants), len(p.Variants))
	}
	for _, want := range p.Variants {
		if i := s.variant(want.ID); i >= 0 {
			b.compareVariant(s.Variants[i], want, groups)
		} else {
			b.that(!structure, "variant %s of %q: got none, want one", want.ID, p.ID)
		}
	}
}

func (s Seen) variant(id string) int {
	return slices.IndexFunc(s.Variants, func(v SeenVariant) bool { return v.ID == id })
}

func (b *bench) compareVariant(s SeenVariant, v shopadapter.Variant, groups shopadapter.Fields) {
	of := " of variant " + v.ID
	if groups.Has(shopadapter.FieldVariants) {
		b.equal("sku"+of, s.SKU, v.SKU)
		want := optionMap(v.Options) // the http protocol has no word for the shop's
		b.that(b.Endpoint != nil || maps.Equal(optionsPlain(s.Options), want), "choice%s: got %v, want %v", of, s.Options,
			want)
	}
	if groups.Has(shopadapter.FieldPrice) {
		b.that(sameAmount(s.Price, v.Price), "price%s: got %q, want %q", of, s.Price, v.Price)
	}
	if groups.Has(shopadapter.FieldStock) {
		b.equal("quantity"+of, s.Quantity, v.Quantity)
		b.equal("backorders"+of, s.Backorders, v.Backorders)
	}
}

// isCategory accepts c's path, its name, or its branch's names with any separator.
func isCategory(seen string, c shopadapter.Category) bool {
	if seen == c.Path || seen == c.Name || seen == plain(c.Label()) {
		return true
	}
	names := strings.FieldsFunc(seen, func(r rune) bool { return strings.ContainsRune(">›/|»", r) })
	same := func(a, b string) bool { return strings.TrimSpace(a) == plain(html.EscapeString(b)) }
	return slices.EqualFunc(names, c.Names(), same)
}

func optionMap(options []shopadapter.Option) map[string]string {
	m := map[string]string{}
	for _, o := range options {
		m[o.Name] = o.Value
	}
	return m
}

func optionsPlain(options map[string]string) map[string]string {
	m := map[string]string{}
	for name, value := range options {
		m[plain(name)] = plain(value)
	}
	return m
}

func text(s Seen, group shopadapter.Fields) string {
	return map[shopadapter.Fields]string{
		shopadapter.FieldTitle: plain(s.Title), shopadapter.FieldDescription: plain(s.Description),
		shopadapter.FieldCategory: plain(s.Category), shopadapter.FieldImages: strings.Join(s.Images, " "),
	}[group]
}

// plain is the text of HTML or plain text, whatever the shop escapes and however it breaks lines.
func plain(markup string) string {
	return strings.Join(strings.Fields(html.UnescapeString(tag.ReplaceAllString(markup, " "))), " ")
}

var tag = regexp.MustCompile(`<[^>]*>`)

func sameAmount(a, b string) bool { return notBelow(a, b) && notBelow(b, a) }

func notBelow(a, b string) bool {
	x, okX := new(big.Rat).SetString(a)
	y, okY := new(big.Rat).SetString(b)
	return okX && okY && x.Cmp(y) >= 0
}
