package laws

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

// DetailGroups are the groups of what a [Harness] names in Details.
const DetailGroups = shopadapter.FieldBrand | shopadapter.FieldDetails

// Sample is a product with the given number of variants, all different in price and stock. One
// variant has no options, more have a Color and a Size. Its SKUs depend on id alone and consist of
// letters, digits and hyphens; its images are [Image] 1 and 2.
func Sample(id shopadapter.PublicationID, variants int) shopadapter.Product {
	p := shopadapter.Product{
		ID:          id,
		ListingID:   "listing-" + digest(id),
		ProductID:   "product-" + digest(id),
		Language:    "en",
		Title:       "Reading lamp " + digest(id),
		Description: "<p>A lamp for <strong>long evenings</strong> &amp; short nights.</p><ul><li>dimmable</li></ul>",
		Category:    category(0),
		Options:     []string{},
		Variants:    []shopadapter.Variant{},
		Images:      []string{Image(1), Image(2)},
		Shipping: []shopadapter.Shipping{
			{CountryGroup: "NL", FixedCosts: "4.95", VariableCosts: "0.50", EstimatedDays: "3"},
		},
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

// Revise is p, copied, after the supplier's n-th change, n >= 1: every text group, every price and
// every quantity differ from those of the sample and of the neighbouring revisions. Variants and
// their options stay.
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

// Image is the address of the n-th picture where the harness has none of its own.
func Image(n int) string { return fmt.Sprintf("https://images.example.com/lamp-%d.jpg", n) }

func variant(id shopadapter.PublicationID, i int, choice bool) shopadapter.Variant {
	v := shopadapter.Variant{
		ID:       fmt.Sprintf("variant-%s-%d", digest(id), i+1),
		SKU:      fmt.Sprintf("LAMP-%s-%d", digest(id), i+1),
		EAN:      ean(id, 0, i),
		Options:  []shopadapter.Option{},
		Price:    fmt.Sprintf("%d.95", 19+i),
		Cost:     "10.00",
		MSRP:     fmt.Sprintf("%d.95", 19+i),
		Quantity: 12 + i,
	}
	if choice {
		colors := []string{"Red", "Green", "Blue", "Black"}
		color, size := colors[i%len(colors)], fmt.Sprintf("%d cm", 40+10*(i/len(colors)))
		v.Options = []shopadapter.Option{{Name: "Color", Value: color}, {Name: "Size", Value: size}}
		v.Title = color + " / " + size
	}
	return v
}

func category(n int) shopadapter.Category {
	leaf := []shopadapter.Level{
		{Path: "HOME_AND_GARDEN_LIGHTING", Name: "Lighting"},
		{Path: "HOME_AND_GARDEN_FURNITURE", Name: "Furniture"},
		{Path: "HOME_AND_GARDEN_TEXTILES", Name: "Textiles"},
	}[n%3]
	return shopadapter.Category{
		Path:   leaf.Path,
		Name:   leaf.Name,
		Branch: []shopadapter.Level{{Path: "HOME_AND_GARDEN", Name: "Home & Garden"}, leaf},
	}
}

func translated(p shopadapter.Product) shopadapter.Product {
	p.Translations = map[string]shopadapter.Translation{p.Language: {Title: p.Title, Description: p.Description}}
	return p
}

// digest keeps ids of any shape out of titles and SKUs, where a shop may mangle them.
func digest(id shopadapter.PublicationID) string {
	return fmt.Sprintf("%08x", sum(id))
}

func sum(id shopadapter.PublicationID) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id))
	return h.Sum32()
}

// WithDetails is p, copied, with a brand and every detail, in kilograms and centimeters. The n-th
// supplier's change gives all of them other values. What many shops keep once for a product
// (origin, tags, materials) is the same for all variants. No product shares an EAN with another.
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

// ean is a number with a check digit, from the range that GS1 keeps for use within a company.
func ean(of shopadapter.PublicationID, n, i int) string {
	digits := fmt.Sprintf("29%06d%02d%02d", sum(of)%1_000_000, n%100, i%100)
	sum := 0
	for k, c := range digits {
		sum += (1 + 2*(k%2)) * int(c-'0')
	}
	return digits + fmt.Sprint((10-sum%10)%10)
}

// withoutEANs is p, copied, without numbers that another product may have.
func withoutEANs(p shopadapter.Product) shopadapter.Product {
	p = clone(p)
	for i := range p.Variants {
		p.Variants[i].EAN = ""
	}
	return p
}

func clone(p shopadapter.Product) shopadapter.Product {
	p.Options = slices.Clone(p.Options)
	p.Images = slices.Clone(p.Images)
	p.Shipping = slices.Clone(p.Shipping)
	p.Variants = slices.Clone(p.Variants)
	for i := range p.Variants {
		p.Variants[i].Options = slices.Clone(p.Variants[i].Options)
	}
	p.Translations = maps.Clone(p.Translations)
	return p
}
