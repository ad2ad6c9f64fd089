package publication

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// MaxDescription bounds a description, in bytes.
const MaxDescription = 60 << 10

const (
	maxTitle = 250 // characters that all known shops take
	maxLine  = 190
)

// A mapper makes the shop's product from the marketplace's listing. It is pure but for the
// sanitizer's compiled policy.
type mapper struct {
	rules Rules
	brake Brake
	clean *sanitizer
}

func newMapper(rules Rules, brake Brake) *mapper {
	return &mapper{rules: rules, brake: brake, clean: sharedSanitizer}
}

// A desired is what the shop shall hold for one publication, or why it cannot.
type desired struct {
	product shopadapter.Product
	refused map[string]string       // variant id -> why our own rules refuse it
	titles  map[string]string       // variant id -> title, of the refused ones too
	supply  map[string]store.Supply // variant id -> the supplier's own figures, of the refused ones too
	holds   []store.Hold            // prices withheld
	// changes of price that a person declined, and that would be held else
	declined []store.Hold
	order    []string          // variant ids in order
	skus     map[string]string // variant id -> the SKU it wants
	problem  *shopadapter.Error
	terms    store.Terms    // the supplier's, that prices go by beside the figures
	price    PriceRule      // with these terms
	given    []store.Supply // the supplier's figures of all variants, up to mostOffers
	offers   []offer        // what may be sold, whatever a brake holds of it
	// the way in which the addresses of the pictures were asked for, see marketplace.Picture
	pictured string
	cut      string // says that the description was cut, "" where it was not
	waits    string // why it is not known yet what the shop shall hold, "" where it is

	untitled bool // the problem is that it has no title yet
	withheld bool // a brake holds the whole product: the shop is left as it is
}

func newDesired() desired {
	return desired{
		refused: map[string]string{},
		titles:  map[string]string{},
		skus:    map[string]string{},
		supply:  map[string]store.Supply{},
	}
}

// mustGo is why an entry cannot be in the shop at all, "" where it can.
func mustGo(p *marketplace.Publication) store.RemovalReason {
	switch {
	case p == nil:
		return store.RemovalAbsent
	case p.Listing == nil:
		return store.RemovalNoListing
	case len(p.Listing.Variants) == 0:
		return store.RemovalNoVariants
	default:
		return ""
	}
}

// desire maps a publication that has a listing with variants. r is its record, with the prices last
// written and the approvals.
func (m *mapper) desire(pub *marketplace.Publication, r store.Record, now time.Time) desired {
	l := pub.Listing
	d := newDesired()
	d.terms = m.terms(l, r.Terms)
	d.product = shopadapter.Product{
		ID: shopadapter.PublicationID(
			pub.ID,
		), ListingID: l.ID, ProductID: l.ProductID, UpdatedAt: pub.UpdatedAt, Currency: m.rules.Currency,
		Returns:      m.clean.Line(l.Returns, maxLine),
		Translations: map[string]shopadapter.Translation{}, Variants: []shopadapter.Variant{}, Images: []string{},
		Options:  []string{},
		Shipping: []shopadapter.Shipping{},
		Category: m.category(l.Category),
	}
	if m.rules.Details {
		d.product.Brand, d.product.Units = m.clean.Line(l.Brand, maxLine), m.rules.Units
	}
	m.texts(&d, l)
	if d.waits = awaitedLanguage(r, m.rules.Languages, pub.Languages, d.product.Title != ""); d.waits != "" {
		return d
	}
	if d.product.Title == "" {
		d.untitled = true
		d.problem = shopadapter.Reject(
			"the listing has no title in any of the languages asked for (%s)", strings.Join(m.rules.Languages, ", "),
		)
		if listed(r) { // what is on sale follows the supplier's figures
			m.variants(&d, l, r, now)
		}
		return d
	}
	if _, lacks := m.rules.Price.categoryOf(d.terms); len(lastPricesOf(r)) == 0 {
		d.waits = cmp.Or(lacks, m.rules.skipsBlindly(d.terms))
	}
	if d.waits != "" {
		return d
	}
	d.product.Images, d.pictured = imagesOf(l, r)
	for _, s := range l.Shipping {
		d.product.Shipping = append(d.product.Shipping, shopadapter.Shipping{
			CountryGroup: m.clean.Line(s.CountryGroup, maxLine), FixedCosts: m.clean.Line(s.FixedCosts, maxLine),
			VariableCosts: m.clean.Line(
				s.VariableCosts, maxLine,
			), EstimatedDays: m.clean.Line(s.EstimatedDays, maxLine),
		})
	}
	m.variants(&d, l, r, now)
	for _, v := range d.product.Variants {
		d.order = append(d.order, v.ID)
		d.skus[v.ID] = v.SKU
	}
	d.withheld = withholdsAll(d, r)
	d.problem = d.nothingToSell(r)
	return d
}

// nothingToSell is why a product has nothing to sell, nil where it has, or where a brake holds it. A
// person who declined the first price of a variant keeps the whole product out that was never on
// sale.
func (d *desired) nothingToSell(r store.Record) *shopadapter.Error {
	isFirst := func(h store.Hold) bool { return h.Kind == store.HoldFirstPrice }
	i := slices.IndexFunc(d.declined, isFirst)
	switch {
	case d.withheld:
		return nil
	case i >= 0 && len(lastPricesOf(r)) == 0:
		return shopadapter.Reject("%s", keptOutReason(d.declined[i]))
	case len(d.product.Variants) == 0:
		return shopadapter.Reject("no variant can be sold: %s", firstReason(d.refused))
	default:
		return nil
	}
}

// category is the listing's category. A branch with an empty name counts as unknown.
func (m *mapper) category(c marketplace.Category) shopadapter.Category {
	out := shopadapter.Category{Path: m.clean.Line(c.Path, maxLine), Name: m.clean.Line(c.Name, maxLine)}
	for _, n := range c.Branch {
		level := shopadapter.Level{Path: m.clean.Line(n.Path, maxLine), Name: m.clean.Line(n.Name, maxLine)}
		if level.Path == "" || level.Name == "" {
			out.Branch = nil
			break
		}
		out.Branch = append(out.Branch, level)
	}
	return out
}

func (m *mapper) texts(d *desired, l *marketplace.Listing) {
	p := &d.product
	for _, lang := range m.rules.Languages {
		t, ok := l.Translations[lang]
		if !ok {
			continue
		}
		title := m.clean.Line(t.Title, maxTitle)
		if title == "" {
			continue
		}
		description := cutHTML(t.Description, MaxDescription)
		if len(description) < len(t.Description) && d.cut == "" {
			d.cut = cutMessage(len(t.Description), len(description))
		}
		text := shopadapter.Translation{Title: title, Description: m.clean.HTML(description)}
		p.Translations[lang] = text
		if p.Title == "" {
			p.Language, p.Title, p.Description = lang, text.Title, text.Description
		}
	}
}

func (m *mapper) variants(d *desired, l *marketplace.Listing, r store.Record, now time.Time) {
	last, supplied := lastPricesOf(r), suppliesOf(r)
	all := set{}
	d.price = m.rules.Price.For(d.terms)
	quote := d.price.quoter()
	for _, v := range l.Variants {
		if _, twice := d.titles[v.ID]; v.ID == "" || twice {
			continue // a variant without an id of its own cannot be told from others later
		}
		supply := supplyOf(v)
		supply.AvailableAt = m.availableAt(l, v, supplied)
		d.titles[v.ID], d.supply[v.ID] = m.clean.Line(v.Title, maxLine), supply
		if len(d.given) < mostOffers {
			d.given = append(d.given, supply)
		}
		quote, err := quote(v.Cost, v.MSRP)
		if err == nil && quote.Lacks != "" && len(last[v.ID].from) == 0 {
			err = errors.New(quote.Lacks)
		}
		if err != nil {
			d.refused[v.ID] = err.Error()
			continue
		}
		out := shopadapter.Variant{
			ID: v.ID, Title: d.titles[v.ID], EAN: m.clean.Line(v.EAN, maxLine), Options: []shopadapter.Option{},
			Price: quote.Price.StringFixed(2), Cost: amountText(v.Cost), MSRP: amountText(v.MSRP),
			Backorders: takesBackorders(v), Later: isLater(supply.AvailableAt, now),
		}
		if m.rules.Details {
			out.Details = m.details(l, v)
			out.AvailableAt = supply.AvailableAt // also where the details could not be read
		}
		if sku := m.clean.Line(v.SKU, maxLine); sku != "" {
			out.SKU = m.rules.SKUPrefix + sku
		}
		if v.Quantity != nil {
			// a difference of two that are not negative cannot overflow
			out.Quantity = max(0, max(0, *v.Quantity)-m.rules.StockBuffer)
		}
		d.offers = append(d.offers, offerOf(out, quote, supply))
		if !m.mayShow(d, &out, v, last, quote, r) {
			continue
		}
		own := set{}
		for _, o := range v.Options {
			name, value := m.clean.Line(o.Name, maxLine), m.clean.Line(o.Value, maxLine)
			if name == "" || value == "" || !own.add(name) {
				continue
			}
			out.Options = append(out.Options, shopadapter.Option{Name: name, Value: value})
			if all.add(name) {
				d.product.Options = append(d.product.Options, name)
			}
		}
		d.product.Variants = append(d.product.Variants, out)
	}
}

// A set is the values met so far. A listing may have a hundred thousand, and searching a slice for
// each would take minutes.
type set map[string]struct{}

// add reports whether s is new.
func (m set) add(s string) bool {
	n := len(m)
	m[s] = struct{}{}
	return len(m) > n
}

func nameOf(title, id string) string {
	if title != "" {
		return title
	}
	return id
}

func firstReason(refused map[string]string) string {
	ids := make([]string, 0, len(refused))
	for id := range refused {
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return "none has an id"
	}
	return refused[slices.Min(ids)]
}

// label gives the variants the SKUs they may use.
func (d *desired) label(skus map[string]string) {
	for i := range d.product.Variants {
		d.product.Variants[i].SKU = skus[d.product.Variants[i].ID]
	}
}
