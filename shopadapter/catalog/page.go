package catalog

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed" // the pages' templates and style
	"encoding/base64"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/amount"
)

var (
	//go:embed product.html.tmpl
	productHTML string
	//go:embed index.html.tmpl
	indexHTML string
	//go:embed frame.html.tmpl
	frameHTML string
	//go:embed style.css
	styleCSS string
)

const few = 5 // the stock up to which a customer is told the number

// ourMark is what every page of ours begins with, and by which it is known from other people's.
const ourMark = "<!doctype html>\n<!-- pubsync catalog -->\n"

func isOurs(page []byte) bool { return bytes.HasPrefix(page, []byte(ourMark)) }

// pages are the templates of both pages.
var pages = template.Must(template.New("").Parse(frameHTML + `{{define "product"}}` + productHTML +
	`{{end}}{{define "index"}}` + indexHTML + `{{end}}`))

// A frame is what all pages have around their content.
type frame struct {
	Title  string
	Image  string // for who links to the page; may be empty
	Policy string
	Style  template.CSS
}

func framed(title, image string) frame {
	sum := sha256.Sum256([]byte(styleCSS))
	policy := "default-src 'none'; img-src http: https:; style-src 'sha256-" +
		base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	return frame{title, image, policy, template.CSS(styleCSS)} //nolint:gosec // our own file
}

func render(name string, data any) ([]byte, error) {
	b := bytes.NewBufferString(ourMark)
	if err := pages.ExecuteTemplate(b, name, data); err != nil {
		return nil, fmt.Errorf("render %s: %w", name, err)
	}
	return b.Bytes(), nil
}

// pictures are the addresses among given that a page may load: http or https, with a host.
func pictures(given []string) []string {
	return slices.DeleteFunc(slices.Clone(given), func(address string) bool {
		u, err := url.Parse(address)
		return err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == ""
	})
}

// A card is a product in the index, and the head of its page.
type card struct {
	Href, Title, Lang, Letter, Image string
	Price                            cost
	Stock                            stock

	created string
}

func newCard(name string, r *record) card {
	title := cmp.Or(strings.TrimSpace(r.Title), string(r.ID))
	c := card{
		Href: pagePath(name), Title: title, Lang: cmp.Or(r.Language, "en"), Letter: letter(title),
		Price: priceOf(r.Variants, r.Currency), Stock: stockOf(r.Variants), created: r.Stamp.Created,
	}
	if good := pictures(r.Images); len(good) > 0 {
		c.Image = good[0]
	}
	return c
}

// indexPage is the index as it goes into the file.
func indexPage(cards []card) ([]byte, error) {
	return render("index", struct {
		Frame frame
		Cards []card
	}{framed("Catalogue", ""), cards})
}

// A sheet is what product.html.tmpl shows.
type sheet struct {
	card
	Frame    frame
	Category string // "" for none
	Photos   []string
	Columns  []string // names of the options
	Rows     []row    // the variants; a single one without options is told in Facts
	Facts    []fact
	Text     template.HTML
	Shipping []fact // days by group of countries
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
}

type fact struct{ Name, Value string }

// productPage is the page of a record, as it goes into the file. The description is sanitised already.
func productPage(r *record) ([]byte, error) {
	head := newCard("", r)
	p := sheet{
		card: head, Frame: framed(head.Title, head.Image), Category: cmp.Or(r.Category.Name, r.Category.Path),
		Text: template.HTML(strings.TrimSpace(r.Description)), Facts: r.facts(), //nolint:gosec // see above
		Photos: pictures(r.Images),
	}
	for _, to := range r.Shipping {
		if to.CountryGroup != "" && to.EstimatedDays != "" {
			p.Shipping = append(p.Shipping, fact{to.CountryGroup, to.EstimatedDays + " days"})
		}
	}
	if r.single() {
		return render("product", p)
	}
	if p.Columns = r.Options; len(p.Columns) == 0 {
		p.Columns = []string{"Variant"}
	}
	for i, variant := range r.Variants {
		values := make([]string, len(p.Columns))
		for _, o := range variant.Options {
			if j := slices.Index(p.Columns, o.Name); j >= 0 {
				values[j] = o.Value
			}
		}
		if strings.Join(values, "") == "" {
			values[0] = nameOf(variant)
		}
		one := r.Variants[i : i+1]
		p.Rows = append(p.Rows, row{anchor(variant.ID), values, variant.SKU, priceOf(one, r.Currency), stockOf(one)})
	}
	return render("product", p)
}

// single reports whether there is nothing to choose.
func (r *record) single() bool { return len(r.Variants) == 1 && len(r.Variants[0].Options) == 0 }

// nameOf is what a variant is called beside its product.
func nameOf(v shopadapter.Variant) string { return cmp.Or(v.Title, v.SKU, v.ID) }

// facts are the brand and the details in words. What is not the same for all variants is told for
// each.
func (r *record) facts() []fact {
	length := "\u00a0" + r.Stamp.Units.Length
	units := map[string]string{
		"weight": "\u00a0" + r.Stamp.Units.Weight, "length": length, "width": length, "height": length, "diameter": length,
	}
	said := map[string]string{"true": "Yes", "false": "No"}[strings.ToLower(r.Returns)]
	facts := []fact{{"Brand", r.Brand}, {"Returns", cmp.Or(said, r.Returns)}}
	if r.single() {
		facts = append(facts, fact{"Article number", r.Variants[0].SKU})
	}
	for _, name := range strings.Split("EAN,weight,length,width,height,diameter,volume,materials,origin,leadTime,"+
		"caseQuantity,tags", ",") {
		var each, values []string
		for _, v := range r.Variants {
			for _, one := range append(v.List(), shopadapter.Detail{Name: "EAN", Value: v.EAN}) {
				if value := strings.TrimRight(one.Value+units[name], "\u00a0"); one.Name == name && one.Value != "" {
					values, each = append(values, value), append(each, nameOf(v)+": "+value)
				}
			}
		}
		if same := slices.Compact(values); len(same) == 1 && len(each) == len(r.Variants) {
			each = same
		}
		called := map[string]string{
			"materials": "Material", "origin": "Country of origin", "leadTime": "Lead time",
			"caseQuantity": "Units per case", "tags": "Features",
		}[name]
		called = cmp.Or(called, strings.ToUpper(name[:1])+name[1:])
		facts = append(facts, fact{called, strings.Join(each, "; ")})
	}
	return slices.DeleteFunc(facts, func(f fact) bool { return f.Value == "" })
}

// priceOf is the span of the variants' prices. A recommended price is shown where there is one
// price, and it lies above.
func priceOf(variants []shopadapter.Variant, currency string) cost {
	var low, high, was decimal.Decimal
	c := cost{}
	for i, v := range variants {
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
		if msrp, _ := amount.Parse(v.MSRP); i == 0 || msrp.Equal(was) {
			was, c.Was = msrp, v.MSRP
		} else {
			c.Was = ""
		}
	}
	if !low.Equal(high) {
		c.Was = ""
	} else if c.High = ""; !was.GreaterThan(low) {
		c.Was = ""
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
