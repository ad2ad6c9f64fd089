package catalog

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/amount"
)

// few is the stock up to which a customer is told the number.
const few = 5

// A productPage is what product.html.tmpl shows.
type productPage struct {
	Frame    frame
	Lang     string // of the product's texts
	Category string // "" for none
	Letter   string
	Photos   []photo
	Price    cost
	Stock    stock
	From     string   // from when it can be had, in words; "" where one of the variants can be had now
	Columns  []string // names of the options
	Rows     []row    // the variants; a single one without options is told in Facts
	Facts    []fact
	Text     template.HTML
	Shipping []fact // days by group of countries
}

type photo struct {
	Address, ID, Alt string
	First            bool
}

// A cost is a price as it is shown, or the range of several.
type cost struct {
	Low, High string // High is "" for one price
	Was       string // a recommended price above it; "" for none
}

// A stock is how much there is, in words, and a class of the style: in, few, order or out.
type stock struct{ Level, Text string }

type row struct {
	ID     string
	Values []string
	SKU    string
	Price  cost
	Stock  stock
	From   string
}

type fact struct{ Name, Value string }

// product is the page of a record, as it goes into the file.
func (v *renderer) product(r *record) ([]byte, error) {
	title := titleOf(r)
	p := productPage{
		Lang: cmp.Or(r.Language, frameLanguage), Category: cmp.Or(r.Category.Name, r.Category.Path), Letter: letter(title),
		Price: priceOf(r.Variants, r.Currency), Stock: stockOf(r.Variants), From: from(r.Variants),
		Text: v.description(r.Description), Facts: r.facts(),
	}
	image := ""
	for i, address := range pictures(r.Images) {
		image = cmp.Or(image, address)
		alt := fmt.Sprintf("%s, picture %d", title, i+1)
		p.Photos = append(p.Photos, photo{address, fmt.Sprintf("photo-%d", i+1), alt, i == 0})
	}
	p.Frame = v.frame(title, image)
	for _, to := range r.Shipping {
		if to.CountryGroup != "" && to.EstimatedDays != "" {
			p.Shipping = append(p.Shipping, fact{to.CountryGroup, to.EstimatedDays + " days"})
		}
	}
	if len(r.Variants) == 1 && len(r.Variants[0].Options) == 0 {
		return v.render("product", p)
	}
	if p.Columns = r.Options; len(p.Columns) == 0 {
		p.Columns = []string{"Variant"}
	}
	for i, variant := range r.Variants {
		values := make([]string, len(p.Columns))
		for j, column := range p.Columns {
			for _, o := range variant.Options {
				if o.Name == column {
					values[j] = o.Value
				}
			}
		}
		if strings.Join(values, "") == "" {
			values[0] = nameOf(variant)
		}
		one := r.Variants[i : i+1]
		price, left := priceOf(one, r.Currency), stockOf(one)
		p.Rows = append(p.Rows, row{anchor(variant.ID), values, variant.SKU, price, left, from(one)})
	}
	return v.render("product", p)
}

func titleOf(r *record) string { return cmp.Or(strings.TrimSpace(r.Title), string(r.ID)) }

// nameOf is what a variant is called beside its product.
func nameOf(v shopadapter.Variant) string { return cmp.Or(v.Title, v.SKU, v.ID) }

// facts are the brand and the details in words. What is not the same for all variants is told for
// each.
func (r *record) facts() []fact {
	facts := []fact{{"Brand", r.Brand}}
	weight, length := "\u00a0"+r.Stamp.Units.Weight, "\u00a0"+r.Stamp.Units.Length
	for _, d := range []struct{ name, detail, unit string }{
		{"EAN", eanName, ""},
		{"Weight", "weight", weight},
		{"Length", "length", length},
		{"Width", "width", length},
		{"Height", "height", length},
		{"Diameter", "diameter", length},
		{"Volume", "volume", ""},
		{"Material", "materials", ""},
		{"Country of origin", "origin", ""},
		{"Lead time", "leadTime", ""},
		{"Units per case", "caseQuantity", ""},
		{"Features", "tags", ""},
	} {
		var each, values []string
		for _, v := range r.Variants {
			if value := strings.ReplaceAll(detailsOf(&v)[d.detail], "\n", ", "); value != "" {
				value = strings.TrimRight(value+d.unit, "\u00a0")
				values, each = append(values, value), append(each, nameOf(v)+": "+value)
			}
		}
		if same := slices.Compact(values); len(same) == 1 && len(each) == len(r.Variants) {
			each = same
		}
		facts = append(facts, fact{d.name, strings.Join(each, "; ")})
	}
	if len(r.Variants) == 1 && len(r.Variants[0].Options) == 0 {
		facts = append(facts, fact{"Article number", r.Variants[0].SKU})
	}
	if said := map[string]string{"true": "Yes", "false": "No"}[strings.ToLower(r.Returns)]; said != "" || r.Returns != "" {
		facts = append(facts, fact{"Returns", cmp.Or(said, r.Returns)})
	}
	return slices.DeleteFunc(facts, func(f fact) bool { return f.Value == "" })
}

// from is from when a customer can have one of the variants, in words; "" where there is one that
// can be had already.
func from(variants []shopadapter.Variant) string {
	var first time.Time
	for _, v := range variants {
		at, err := time.Parse(time.DateOnly, v.AvailableAt[:min(len(v.AvailableAt), len(time.DateOnly))])
		if err != nil || !at.After(time.Now()) {
			return ""
		}
		if first.IsZero() || at.Before(first) {
			first = at
		}
	}
	if first.IsZero() {
		return ""
	}
	return "Available from " + first.Format("2 January 2006")
}

// priceOf is the span of the variants' prices. A recommended price is shown where there is one
// price, and it lies above.
func priceOf(variants []shopadapter.Variant, currency string) cost {
	var low, high decimal.Decimal
	var c cost
	for _, v := range variants {
		d, ok := amount.Parse(v.Price)
		if !ok {
			continue // the merchant wrote it into the record; the next price from the supplier mends it
		}
		if c.Low == "" || d.LessThan(low) {
			low, c.Low = d, v.Price
		}
		if c.High == "" || d.GreaterThan(high) {
			high, c.High = d, v.Price
		}
	}
	if low.Equal(high) {
		c.High = ""
		for i, v := range variants {
			if was, ok := amount.Parse(v.MSRP); !ok || !was.GreaterThan(high) || i > 0 && v.MSRP != c.Was {
				c.Was = ""
				break
			}
			c.Was = v.MSRP
		}
	}
	return cost{shownIn(currency, c.Low), shownIn(currency, c.High), shownIn(currency, c.Was)}
}

// symbols are the signs that stand for a currency's code.
var symbols = map[string]string{"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥"}

// shownIn is an amount behind its currency, "" for none. The space between them does not break.
func shownIn(currency, price string) string {
	if price == "" || currency == "" {
		return price
	}
	return cmp.Or(symbols[currency], currency) + "\u00a0" + price
}

func stockOf(variants []shopadapter.Variant) stock {
	units, order := 0, false
	for _, v := range variants {
		units += min(max(v.Quantity, 0), 1<<30)
		order = order || v.Backorders
	}
	switch {
	case units > few, units > 0 && order:
		return stock{"in", "In stock"}
	case units > 0:
		return stock{"few", fmt.Sprintf("Only %d left", units)}
	case order:
		return stock{"order", "Made to order"}
	default:
		return stock{"out", "Sold out"}
	}
}

// letter stands in for a missing picture.
func letter(title string) string {
	for _, r := range title {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return string(unicode.ToUpper(r))
		}
	}
	return "·"
}
