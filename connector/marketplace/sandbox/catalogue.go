package sandbox

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Template is one product of the catalogue, from which any number of publications can be made.
type Template struct {
	Name    string   // lower-case words, stable: "sixty-variants"
	Listing *Listing // nil: the entry has none
	Flaw    string   // why it cannot be put on sale whole; empty where it can
}

// Catalogue lists the templates, in the order in which AddCatalogue uses them. The caller may
// change them.
func Catalogue() []Template {
	return slices.Concat(
		gardenCatalogue(), kitchenCatalogue(), fashionCatalogue(), toysCatalogue(), homeCatalogue(), oddCatalogue(),
	)
}

// Named is the template of that name. It panics when there is none.
func Named(name string) Template {
	for _, t := range Catalogue() {
		if t.Name == name {
			return t
		}
	}
	panic("sandbox: the catalogue has no " + strconv.Quote(name))
}

// AddCatalogue puts n publications on the import list and returns their ids. It goes on in the
// catalogue where the last call stopped, and begins anew at its end. Each publication has ids, SKUs
// and EANs of its own, except for the two products that share a SKU on purpose.
func (m *Marketplace) AddCatalogue(n int) []string { return m.addTemplates(n, Catalogue()) }

// AddSound is AddCatalogue with only those products that can be put on sale whole.
func (m *Marketplace) AddSound(n int) []string {
	return m.addTemplates(n, slices.DeleteFunc(Catalogue(), func(t Template) bool { return t.Flaw != "" }))
}

// AddSoundOf is AddSound with only those products that have so many variants.
func (m *Marketplace) AddSoundOf(variants, n int) []string {
	return m.addTemplates(
		n,
		slices.DeleteFunc(
			Catalogue(), func(t Template) bool { return t.Flaw != "" || len(t.Listing.Variants) != variants },
		),
	)
}

func (m *Marketplace) addTemplates(n int, templates []Template) []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	ids := make([]string, n)
	for i := range ids {
		taken := m.templates
		m.templates++
		ids[i] = m.add(Publication{}, templates[taken%len(templates)].issue(taken, taken/len(templates)))
	}
	return ids
}

// issue is a template's listing for the n-th publication of a marketplace, in the given round
// through the catalogue. The rounds share all values that no change writes to.
func (t Template) issue(n, round int) *Listing {
	if t.Listing == nil {
		return nil
	}
	l := *t.Listing
	l.Variants = slices.Clone(l.Variants)
	for i := range l.Variants {
		v := &l.Variants[i]
		if v.EAN == "" {
			v.EAN = ean(n*100 + i)
		}
		if round > 0 && v.SKU != "" {
			v.SKU = anotherArticle(v.SKU, round+1)
		}
	}
	if round > 0 {
		texts := make(map[string]Text, len(l.Texts))
		for lang, text := range l.Texts {
			if text.Title != "" {
				text.Title = fmt.Sprintf("%s No. %d", text.Title, round+1)
			}
			texts[lang] = text
		}
		l.Texts = texts
	}
	return &l
}

// anotherArticle is a SKU with the number of another article. The number comes before the part that
// differs between variants, so that the SKUs of one product begin alike, as a supplier's do.
func anotherArticle(sku string, n int) string {
	article, variant, found := strings.Cut(sku, "-")
	if article += strconv.Itoa(n); !found {
		return article
	}
	return article + "-" + variant
}

// ean is an EAN with its check digit, from the range that GS1 reserves for internal use.
func ean(n int) string {
	digits := fmt.Sprintf("29%010d", n%10_000_000_000)
	sum := 0
	for i, d := range digits {
		weight := 1
		if i%2 == 1 {
			weight = 3
		}
		sum += int(d-'0') * weight
	}
	return digits + strconv.Itoa((10-sum%10)%10)
}

// A choice is an option and its values.
type choice struct {
	name   string
	values []string
}

// grid makes a variant of every combination of the choices, the last varying fastest. Their stock
// differs.
func grid(sku, cost, msrp string, choices ...choice) []Variant {
	variants := []Variant{{SKU: sku, Cost: cost, MSRP: msrp}}
	for _, c := range choices {
		var next []Variant
		for _, v := range variants {
			for i, value := range c.values {
				w := v
				w.Options = append(slices.Clone(v.Options), Option{c.name, value})
				w.SKU = v.SKU + "-" + strconv.Itoa(i+1)
				next = append(next, w)
			}
		}
		variants = next
	}
	for i := range variants {
		variants[i].Quantity = 4 + (i*17+len(sku)*5)%61
		variants[i].Policy = policyDeny
	}
	return variants
}

// only is the single variant of a product without a choice.
func only(sku, cost, msrp string, quantity int, option Option) []Variant {
	return []Variant{
		{SKU: sku, Cost: cost, MSRP: msrp, Quantity: quantity, Policy: policyDeny, Options: []Option{option}},
	}
}

// detailed are the variants with details, each with its own.
func detailed(variants []Variant, details ...Details) []Variant {
	for i, d := range details {
		variants[i].Details = d
	}
	return variants
}

func pictures(n int, shape Shape, colour string) []Picture {
	return slices.Repeat([]Picture{{Colour: colour, Shape: shape}}, n)
}

// inEnglishAndDutch are a product's texts.
func inEnglishAndDutch(titleEN, textEN, titleNL, textNL string) map[string]Text {
	return map[string]Text{"en": {titleEN, textEN}, "nl": {titleNL, textNL}}
}

// parcel is the usual shipping of a supplier.
func parcel() []Shipping {
	return []Shipping{
		{CountryGroup: "NL", FixedCosts: "4.95", VariableCosts: "0.50", Days: 2},
		{CountryGroup: "BE", FixedCosts: "6.50", VariableCosts: "0.75", Days: 3},
		{CountryGroup: "EU", FixedCosts: "12.95", VariableCosts: "1.50", Days: 6},
	}
}

// freight is the shipping of large products.
func freight() []Shipping {
	return []Shipping{
		{CountryGroup: "NL", FixedCosts: "19.50", VariableCosts: "9.00", Days: 5},
		{CountryGroup: "BE", FixedCosts: "24.50", VariableCosts: "9.00"},
	}
}
