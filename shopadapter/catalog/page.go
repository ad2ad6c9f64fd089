package catalog

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/amount"
)

//go:embed *.tmpl style.css
var templates embed.FS

// pages each hold the style, and a policy that lets in only that and pictures.
var pages = template.Must(template.ParseFS(templates, "*.tmpl", "style.css"))

// ourMark begins every page of ours, and tells it from other people's.
const ourMark = "<!doctype html>\n<!-- pubsync catalog -->\n"

func render(name string, data any) ([]byte, error) {
	b := bytes.NewBufferString(ourMark)
	if err := pages.ExecuteTemplate(b, name+".html.tmpl", data); err != nil {
		return nil, fmt.Errorf("render %s: %w", name, err)
	}
	return b.Bytes(), nil
}

type index struct {
	Title, Image string
	Cards        []view
}

// A view is a record as a page or a card shows it.
type view struct {
	Href, Title, Lang, Category string
	Image, Letter               string   // the letter stands in for a missing picture
	Columns                     []string // names of the options
	Rows                        []row    // a single one without options is in Facts
	Facts                       []fact
	Images                      []string
	Text                        template.HTML
	offer
}

// An offer is what a customer is told of variants.
type offer struct {
	Price string // with its currency; a span for several
	Was   string // a recommended price above it, or ""
	Level string // a class of the style: in, few, order or out
	Stock string // in words
}

type row struct {
	ID, SKU string
	Values  []string
	offer
}

type fact struct{ Name, Value string }

// newView relies on a sanitised description.
func newView(r *record) view {
	title := cmp.Or(strings.TrimSpace(r.Title), string(r.ID), "·")
	first, _ := utf8.DecodeRuneInString(title)
	v := view{
		Href: pagePath(fileName(r.ID)), Title: title, Lang: cmp.Or(r.Language, "en"), Letter: strings.ToUpper(string(first)),
		Category: cmp.Or(r.Category.Name, r.Category.Path), Images: r.Images, offer: offerOf(r.Variants, r.Currency),
		Text:  template.HTML(strings.TrimSpace(r.Description)), //nolint:gosec // see above
		Facts: []fact{{"Brand", r.Brand}},
	}
	if len(r.Images) > 0 {
		v.Image = r.Images[0]
	}
	if len(r.Variants) == 1 && len(r.Variants[0].Options) == 0 {
		v.Facts = append(v.Facts, fact{"Article number", r.Variants[0].SKU}, fact{"EAN", r.Variants[0].EAN})
	} else {
		v.Columns, v.Rows = rows(r)
	}
	v.Facts = slices.DeleteFunc(v.Facts, func(f fact) bool { return f.Value == "" })
	return v
}

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
		list = append(list, row{anchor(v.ID), v.SKU, values, offerOf(r.Variants[i:i+1], r.Currency)})
	}
	return columns, list
}

const few = 5 // up to this stock a customer is told the number

// offerOf puts a non-breaking space before an amount.
func offerOf(variants []shopadapter.Variant, currency string) (o offer) {
	symbol := cmp.Or(map[string]string{"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥"}[currency], currency)
	in := func(price string) string { return strings.Trim(symbol+"\u00a0"+price, "\u00a0") }
	if len(variants) > 0 {
		low, high := slices.MinFunc(variants, byPrice), slices.MaxFunc(variants, byPrice)
		if o.Price = in(low.Price); byPrice(low, high) < 0 {
			o.Price += " – " + in(high.Price)
		}
		if len(variants) == 1 && byPrice(low, shopadapter.Variant{Price: low.MSRP}) < 0 {
			o.Was = in(low.MSRP)
		}
	}
	units, order := 0, false
	for _, v := range variants {
		units += min(max(v.Quantity, 0), 1<<30)
		order = order || v.Backorders
	}
	switch {
	case units > few, units > 0 && order:
		o.Level, o.Stock = "in", "In stock"
	case units > 0:
		o.Level, o.Stock = "few", fmt.Sprintf("Only %d left", units)
	case order:
		o.Level, o.Stock = "order", "Made to order"
	default:
		o.Level, o.Stock = "out", "Sold out"
	}
	return o
}

// byPrice takes a price that the merchant broke for the lowest.
func byPrice(a, b shopadapter.Variant) int {
	x, _ := amount.Parse(a.Price)
	y, _ := amount.Parse(b.Price)
	return x.Cmp(y)
}

const (
	indexPath = "index.html"
	passEvery = 500 * time.Millisecond // between a change and the pass that shows it
)

// changed has the next pass show the records. A failed pass comes again with the next change or check.
func (c *catalog) changed() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.owed == nil {
		c.owed = time.AfterFunc(passEvery, func() {
			if err := c.pass(); err != nil {
				c.log.Error("catalogue index not written", "error", err)
			}
		})
	}
}

func (c *catalog) pass() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.owed == nil {
		return nil
	}
	c.owed.Stop()
	c.owed = nil
	if _, err := c.page(indexPath); err != nil {
		return err
	}
	names, err := c.names()
	if err != nil {
		return err
	}
	var list []*record
	for _, name := range names {
		if r, err := c.read(name); err == nil && r != nil && r.onSale { // of others the next publish tells the fault
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b *record) int {
		return cmp.Or(b.Stamp.Created.Compare(a.Stamp.Created), cmp.Compare(a.ID, b.ID))
	})
	front := index{Title: "Catalogue"}
	for _, r := range list {
		front.Cards = append(front.Cards, newView(r))
	}
	page, err := render("index", front)
	if err != nil {
		return err
	}
	return c.write(indexPath, page)
}
