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
	"unicode/utf8"

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
	Href, Title, Lang, Letter, Image string // the letter stands in for a missing picture
	Price                            cost
	Stock                            stock

	created string
}

func newCard(name string, r *record) card {
	title := cmp.Or(strings.TrimSpace(r.Title), string(r.ID), "·")
	first, _ := utf8.DecodeRuneInString(title)
	c := card{
		Href: pagePath(name), Title: title, Lang: cmp.Or(r.Language, "en"), Letter: strings.ToUpper(string(first)),
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

// details are how a page calls the supplier's, by their names in the protocol, in its order.
var details = []fact{
	{"EAN", "EAN"},
	{"weight", "Weight"},
	{"length", "Length"},
	{"width", "Width"},
	{"height", "Height"},
	{"diameter", "Diameter"},
	{"volume", "Volume"},
	{"materials", "Material"},
	{"origin", "Country of origin"},
	{"leadTime", "Lead time"},
	{"caseQuantity", "Units per case"},
	{"tags", "Features"},
}

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
	for _, one := range details {
		var each, values []string
		for _, v := range r.Variants {
			if value := detailOf(v, one.Name); value != "" {
				value = strings.TrimRight(value+units[one.Name], "\u00a0")
				values, each = append(values, value), append(each, nameOf(v)+": "+value)
			}
		}
		if same := slices.Compact(values); len(same) == 1 && len(each) == len(r.Variants) {
			each = same
		}
		facts = append(facts, fact{one.Value, strings.Join(each, "; ")})
	}
	return slices.DeleteFunc(facts, func(f fact) bool { return f.Value == "" })
}

// detailOf is a detail of a variant by its name.
func detailOf(v shopadapter.Variant, name string) string {
	for _, one := range append(v.List(), shopadapter.Detail{Name: "EAN", Value: v.EAN}) {
		if one.Name == name {
			return one.Value
		}
	}
	return ""
}

// priceOf is the span of the variants' prices. Of a single one a recommended price above it is shown.
// A price that is none was written into the record by the merchant: the supplier's next one mends it.
func priceOf(variants []shopadapter.Variant, currency string) (c cost) {
	var low, high decimal.Decimal
	for _, v := range variants {
		d, ok := amount.Parse(v.Price)
		if ok && (c.Low == "" || d.LessThan(low)) {
			low, c.Low = d, v.Price
		}
		if ok && (c.High == "" || d.GreaterThan(high)) {
			high, c.High = d, v.Price
		}
	}
	if low.Equal(high) {
		c.High = ""
	}
	if len(variants) == 1 {
		if msrp, _ := amount.Parse(variants[0].MSRP); msrp.GreaterThan(low) {
			c.Was = variants[0].MSRP
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
