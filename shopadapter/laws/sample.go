package laws

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// DetailGroups are the groups of Harness.Details.
const DetailGroups = shopadapter.FieldBrand | shopadapter.FieldDetails

// Sample returns a product whose variants differ in price and stock, with Color and Size if there are several. SKUs
// depend only on id and consist of letters, digits and hyphens; images are [Image] 1 and 2.
func Sample(id shopadapter.PublicationID, variants int) shopadapter.Product {
	name := digest(id)
	shipping := shopadapter.Shipping{CountryGroup: "NL", FixedCosts: "4.95", VariableCosts: "0.50", EstimatedDays: "3"}
	p := shopadapter.Product{
		ID: id, ListingID: "listing-" + name, ProductID: "product-" + name, Language: "en", Title: "Reading lamp " + name,
		Description: "<p>A lamp for <strong>long evenings</strong> &amp; short nights.</p><ul><li>dimmable</li></ul>",
		Category:    category(0), Options: []string{}, Variants: []shopadapter.Variant{},
		Images:    []string{Image(1), Image(2)},
		Shipping:  []shopadapter.Shipping{shipping},
		Returns:   "true",
		UpdatedAt: "2026-11-01T08:00:00Z",
	}
	if variants > 1 {
		p.Options = []string{"Color", "Size"}
	}
	for i := range variants {
		p.Variants = append(p.Variants, variant(id, i, variants > 1))
	}
	return translated(p)
}

// Revise returns a copy of p after the supplier's n-th change, n >= 1. Every text group, price and quantity differs
// from the sample's and from neighbouring revisions'. Variants and options stay.
func Revise(p shopadapter.Product, n int) shopadapter.Product {
	p = clone(p)
	p.Title = fmt.Sprintf("Reading lamp %s, edition %d", digest(p.ID), n)
	p.Description = fmt.Sprintf("<p>Edition <em>%d</em>, with a longer cable.</p>", n)
	p.Category = category(n)
	p.Images = []string{Image(n + 2), Image(1)}
	for i := range p.Variants {
		v := &p.Variants[i]
		v.Price = fmt.Sprintf("%d.%02d", 30+n+2*i, (50+n)%100)
		v.Quantity = 100*n + i
		v.Backorders = i == 0 && n%2 == 1
	}
	p.UpdatedAt = fmt.Sprintf("2026-11-02T08:00:%02dZ", n%60)
	return translated(p)
}

// Image is the n-th picture's address for a harness without its own.
func Image(n int) string { return fmt.Sprintf("https://images.example.com/lamp-%d.jpg", n) }

func variant(id shopadapter.PublicationID, i int, choice bool) shopadapter.Variant {
	price := fmt.Sprintf("%d.95", 19+i)
	v := shopadapter.Variant{
		ID: fmt.Sprintf("variant-%s-%d", digest(id), i+1), SKU: fmt.Sprintf("LAMP-%s-%d", digest(id), i+1),
		EAN: ean(id, 0, i), Options: []shopadapter.Option{}, Price: price, Cost: "10.00", MSRP: price, Quantity: 12 + i,
	}
	if choice {
		color, size := []string{"Red", "Green", "Blue", "Black"}[i%4], fmt.Sprintf("%d cm", 40+10*(i/4))
		v.Options = []shopadapter.Option{{Name: "Color", Value: color}, {Name: "Size", Value: size}}
		v.Title = color + " / " + size
	}
	return v
}

func category(n int) shopadapter.Category {
	name := []string{"Lighting", "Furniture", "Textiles"}[n%3]
	path := "HOME_AND_GARDEN_" + strings.ToUpper(name)
	branch := []shopadapter.Level{{Path: "HOME_AND_GARDEN", Name: "Home & Garden"}, {Path: path, Name: name}}
	return shopadapter.Category{Path: path, Name: name, Branch: branch}
}

func translated(p shopadapter.Product) shopadapter.Product {
	p.Translations = map[string]shopadapter.Translation{p.Language: {Title: p.Title, Description: p.Description}}
	return p
}

// digest keeps odd ids out of titles and SKUs, where a shop may mangle them.
func digest(id shopadapter.PublicationID) string { return fmt.Sprintf("%08x", sum(id)) }

func sum(id shopadapter.PublicationID) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id))
	return h.Sum32()
}

// WithDetails returns a copy of p with a brand and every detail, in kilograms and centimeters, all different from
// those of n-1 and n+1. Origin, tags and materials are equal in all variants. No two products share an EAN.
func WithDetails(p shopadapter.Product, n int) shopadapter.Product {
	p = clone(p)
	p.Brand = fmt.Sprintf("Brightside %d", n)
	p.Units = shopadapter.Units{Weight: "kg", Length: "cm"}
	for i := range p.Variants {
		v := &p.Variants[i]
		v.EAN = ean(p.ID, n, i)
		v.Details = shopadapter.Details{
			Weight: fmt.Sprintf("%d.%d5", n+1, i), Length: fmt.Sprintf("%d.5", 20+n+i), Width: fmt.Sprint(10 + n + i),
			Height: fmt.Sprint(40 + n + i), Diameter: fmt.Sprint(12 + n), Volume: fmt.Sprintf("0.%d", n+1),
			Origin: []string{"NL", "PT", "DE"}[n%3], LeadTime: []string{"DAYS_3", "DAYS_5"}[n%2],
			Tags: []string{"ECO", fmt.Sprintf("SEASON_%d", n)}, Materials: []string{"STEEL", fmt.Sprintf("LINEN_%d", n)},
			CaseQuantity: fmt.Sprint(6 + n),
		}
	}
	return p
}

// ean has a check digit, and is from the GS1 range for use within a company.
func ean(of shopadapter.PublicationID, n, i int) string {
	digits := fmt.Sprintf("29%06d%02d%02d", sum(of)%1_000_000, n%100, i%100)
	sum := 0
	for k, c := range digits {
		sum += (1 + 2*(k%2)) * int(c-'0')
	}
	return digits + fmt.Sprint((10-sum%10)%10)
}

func withoutEANs(p shopadapter.Product) shopadapter.Product {
	p = clone(p)
	for i := range p.Variants {
		p.Variants[i].EAN = ""
	}
	return p
}

func clone(p shopadapter.Product) shopadapter.Product {
	p.Options, p.Images, p.Shipping = slices.Clone(p.Options), slices.Clone(p.Images), slices.Clone(p.Shipping)
	p.Translations, p.Variants = maps.Clone(p.Translations), slices.Clone(p.Variants)
	for i := range p.Variants {
		p.Variants[i].Options = slices.Clone(p.Variants[i].Options)
	}
	return p
}

// changes are the supplier's to variants, by their names in the book.
var changes = map[string]func(p *shopadapter.Product){
	"remove-second": func(p *shopadapter.Product) { p.Variants = slices.Delete(p.Variants, 1, 2) },
	"remove-first":  func(p *shopadapter.Product) { p.Variants = slices.Delete(p.Variants, 0, 1) },
	"add":           func(p *shopadapter.Product) { p.Variants = append(p.Variants, variant(p.ID, 6, true)) },
	"add-blue-and-pink": func(p *shopadapter.Product) { // a known value, and a new one
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
	"replace": func(p *shopadapter.Product) { // with the same choice
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
}

func (s *subject) word(of string) string { return cmp.Or(s.called[of], of) }

// visit compares the page with the product: one choice leads to each variant, and no other leads anywhere.
func (p *player) visit() {
	choices, err := p.Visit(p.ctx, p.ref.Listing)
	p.must("visit", err)
	for _, w := range p.p.Variants {
		want := map[string]string{}
		for _, o := range w.Options {
			want[p.word(o.Name)] = p.word(o.Value)
		}
		i := slices.IndexFunc(choices, func(c Choice) bool { return maps.Equal(optionsPlain(c.Options), want) })
		p.that(i >= 0, "the page of %q: does not offer %v", p.p.ID, want)
		got := choices[i]
		choices = slices.Delete(choices, i, i+1)
		if got.Quantity < 0 { // not told
			got.Quantity = w.Quantity
		}
		good := got.SKU == w.SKU && got.InStock == (w.Quantity > 0 || w.Backorders) && got.Quantity == w.Quantity
		p.that(good && sameAmount(got.Price, w.Price), "the choice %v of the page: got %+v, want %+v", want, got, w)
	}
	for _, c := range choices {
		p.that(c.SKU == "", "the choice %v of the page, which no variant has: leads to %s", c.Options, c.SKU)
	}
}

func detail(v shopadapter.Variant, brand, name string) string {
	given := map[string]string{"brand": brand, "ean": v.EAN}
	for _, one := range v.Details.List() {
		given[one.Name] = one.Value
	}
	return given[name]
}

// detail returns a shown detail of a variant, and whether it is the whole product's.
func (s Seen) detail(id, name string) (value string, whole bool) {
	if value, whole = s.Details[name]; whole {
		return value, true
	}
	if i := s.variant(id); i >= 0 {
		value = s.Variants[i].Details[name]
	}
	return value, false
}

// detailed ends the check unless the shop shows each kept detail as given, or as the merchant typed it.
func (p *player) detailed() {
	seen := p.seen()
	for i, v := range p.p.Variants {
		for _, name := range p.Details {
			got, whole := seen.detail(v.ID, name)
			want, merchants := p.typed[name]
			if !merchants || i > 0 && !whole {
				want = detail(v, p.p.Brand, name)
			}
			p.that(got == want || sameAmount(got, want), "%s of variant %s: got %q, want %q", name, v.ID, got, want)
		}
	}
}
