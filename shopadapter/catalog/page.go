package catalog

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/shopspring/decimal"
)

// frameLanguage is the language of what the pages say by themselves.
const frameLanguage = "en"

// languageNames are languages in their own words; another one is named by its code.
var languageNames = map[string]string{"en": "English", "nl": "Nederlands", "de": "Deutsch", "fr": "Français"}

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
	Differ   []string // names of the details that are not the same for all variants
	Rows     []row    // the variants; a single one without options is told in Facts
	Facts    []fact
	Text     template.HTML
	Others   []other
	Shipping []fact // days by group of countries
	Returns  string
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
	Facts  []string // the values of Differ
	Price  cost
	Stock  stock
	From   string
}

type fact struct{ Name, Value string }

// An other is the product's text in another language.
type other struct {
	Lang, Name, Title string
	Text              template.HTML
}

// product is the page of a record, as it goes into the file.
func (v *renderer) product(name string, r *record) ([]byte, error) {
	title := cmp.Or(strings.TrimSpace(r.Title), string(r.ID))
	p := productPage{
		Lang:     cmp.Or(r.Language, frameLanguage),
		Category: categoryName(r.Category),
		Letter:   letter(title),
		Price:    priceOf(r.Variants, r.Currency),
		Stock:    stockOf(r.Variants),
		From:     r.from(r.Variants),
		Text:     v.description(r.Description),
		Returns:  yesOrNo(r.Returns),
	}
	good := pictures(r.Images)
	for i, address := range good {
		alt := title
		if len(good) > 1 {
			alt += ", " + fmt.Sprintf("Picture %d", i+1)
		}
		p.Photos = append(p.Photos, photo{address, fmt.Sprintf("photo-%d", i+1), alt, i == 0})
	}
	image := ""
	if len(good) > 0 {
		image = good[0]
	}
	p.Frame = v.frame(frame{Title: title, About: v.summary(r.Description, 200), Image: image})
	for _, to := range r.Shipping {
		if to.CountryGroup != "" && to.EstimatedDays != "" {
			p.Shipping = append(p.Shipping, fact{to.CountryGroup, to.EstimatedDays + " days"})
		}
	}
	p.variants(r)
	for _, lang := range slices.Sorted(maps.Keys(r.Translations)) {
		t := r.Translations[lang]
		if lang != r.Language && (t.Title != "" || t.Description != "") {
			name := cmp.Or(languageNames[lang], strings.ToUpper(lang))
			p.Others = append(p.Others, other{lang, name, t.Title, v.description(t.Description)})
		}
	}
	return v.render("product", p)
}

// variants fills the facts, and for a product with a choice the table of variants.
func (p *productPage) variants(r *record) {
	each := make([][]fact, len(r.Variants))
	for i := range r.Variants {
		each[i] = r.facts(&r.Variants[i])
	}
	p.Columns, p.Facts = r.Options, r.maker()
	if len(r.Variants) == 1 && len(r.Variants[0].Options) == 0 {
		p.Columns = nil
		if sku := r.Variants[0].SKU; sku != "" {
			p.Facts = append(p.Facts, fact{"Article number", sku})
		}
		p.Facts = append(p.Facts, each[0]...)
		return
	}
	common, differing := shared(each)
	p.Facts, p.Differ = append(p.Facts, common...), differing
	if len(p.Columns) == 0 {
		p.Columns = []string{"Variant"}
	}
	p.Rows = make([]row, len(r.Variants))
	for i, v := range r.Variants {
		values := make([]string, len(p.Columns))
		for j, column := range p.Columns {
			at := slices.IndexFunc(v.Options, func(o shopadapter.Option) bool { return o.Name == column })
			if at >= 0 {
				values[j] = v.Options[at].Value
			}
		}
		if strings.Join(values, "") == "" {
			values[0] = nameOf(v)
		}
		facts := make([]string, len(differing))
		for j, name := range differing {
			facts[j] = valueOf(each[i], name)
		}
		one := r.Variants[i : i+1]
		p.Rows[i] = row{
			anchor(v.ID), values, v.SKU, facts, priceOf(one, r.Currency), stockOf(one), r.from(one),
		}
	}
}

// priceOf is the span of the variants' prices. A recommended price is shown where there is one
// price, and it lies above.
func priceOf(variants []shopadapter.Variant, currency string) cost {
	var low, high decimal.Decimal
	var c cost
	for _, v := range variants {
		d, ok := parsePrice(v.Price)
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
			was, ok := parsePrice(v.MSRP)
			if !ok || !was.GreaterThan(high) || i > 0 && v.MSRP != c.Was {
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
func shownIn(currency, amount string) string {
	if amount == "" || currency == "" {
		return amount
	}
	if symbol := symbols[currency]; symbol != "" {
		currency = symbol
	}
	return currency + "\u00a0" + amount
}

func stockOf(variants []shopadapter.Variant) stock {
	units, order := 0, false
	for _, v := range variants {
		units += min(max(v.Quantity, 0), 1<<30)
		order = order || v.Backorders
	}
	switch {
	case units > few:
		return stock{"in", "In stock"}
	case units > 0 && order:
		return stock{"in", "In stock"}
	case units > 0:
		return stock{"few", fmt.Sprintf("Only %d left", units)}
	case order:
		return stock{"order", "Made to order"}
	default:
		return stock{"out", "Sold out"}
	}
}

func yesOrNo(s string) string {
	switch strings.ToLower(s) {
	case "true":
		return "Yes"
	case "false":
		return "No"
	default:
		return s
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
