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

// pages are the templates of both pages. Each page holds the style, and a policy that lets nothing
// but that style and pictures in.
var pages = template.Must(template.New("").Funcs(template.FuncMap{
	"style": func() template.CSS { return template.CSS(styleCSS) }, //nolint:gosec // our own file
	"policy": func() string {
		sum := sha256.Sum256([]byte(styleCSS))
		return "default-src 'none'; img-src http: https:; style-src 'sha256-" +
			base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'"
	},
}).Parse(frameHTML + `{{define "product"}}` + productHTML + `{{end}}{{define "index"}}` + indexHTML + `{{end}}`))

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

// A sheet is what product.html.tmpl shows.
type sheet struct {
	card
	Category string // "" for none
	Photos   []string
	Columns  []string // names of the options
	Rows     []row    // the variants; a single one without options is told in Facts
	Facts    []fact
	Text     template.HTML
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
	p := sheet{
		card: newCard("", r), Category: cmp.Or(r.Category.Name, r.Category.Path), Photos: pictures(r.Images),
		Text:  template.HTML(strings.TrimSpace(r.Description)), //nolint:gosec // see above
		Facts: []fact{{"Brand", r.Brand}},
	}
	if len(r.Variants) == 1 && len(r.Variants[0].Options) == 0 {
		p.Facts = append(p.Facts, fact{"Article number", r.Variants[0].SKU}, fact{"EAN", r.Variants[0].EAN})
	} else {
		p.Columns, p.Rows = rows(r)
	}
	p.Facts = slices.DeleteFunc(p.Facts, func(f fact) bool { return f.Value == "" })
	return render("product", p)
}

// rows are the variants in a table whose first columns are the options.
func rows(r *record) (columns []string, list []row) {
	if columns = r.Options; len(columns) == 0 {
		columns = []string{"Variant"}
	}
	for i, v := range r.Variants {
		values := make([]string, len(columns))
		for _, o := range v.Options {
			if j := slices.Index(columns, o.Name); j >= 0 {
				values[j] = o.Value
			}
		}
		if strings.Join(values, "") == "" {
			values[0] = cmp.Or(v.Title, v.SKU, v.ID)
		}
		one := r.Variants[i : i+1]
		list = append(list, row{anchor(v.ID), values, v.SKU, priceOf(one, r.Currency), stockOf(one)})
	}
	return columns, list
}

// priceOf is the span of the variants' prices. Of a single one a recommended price above it is shown.
// A price that is none was written into the record by the merchant: the supplier's next one mends it.
func priceOf(variants []shopadapter.Variant, currency string) (c cost) {
	var prices []string
	for _, v := range variants {
		if _, ok := amount.Parse(v.Price); ok {
			prices = append(prices, v.Price)
		}
	}
	if len(prices) == 0 {
		return c
	}
	slices.SortFunc(prices, compare)
	low, high := prices[0], prices[len(prices)-1]
	if c.Low = shownIn(currency, low); compare(low, high) < 0 {
		c.High = shownIn(currency, high)
	}
	if len(variants) == 1 && compare(variants[0].MSRP, low) > 0 {
		c.Was = shownIn(currency, variants[0].MSRP)
	}
	return c
}

// compare orders amounts; what is none is 0.
func compare(a, b string) int {
	x, _ := amount.Parse(a)
	y, _ := amount.Parse(b)
	return x.Cmp(y)
}

// symbols are the signs that stand for a currency's code.
var symbols = map[string]string{"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥"}

// shownIn is an amount behind its currency. The space between them does not break.
func shownIn(currency, price string) string {
	if currency == "" {
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
