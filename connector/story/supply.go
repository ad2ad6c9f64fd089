package story

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// products does something for each of the products that are named.
func (a *phrase) products(do func(name string, of phrase)) {
	quiet := a.has("quiet")
	for _, name := range a.rest() {
		of := phrase{player: a.player, pairs: slices.Clone(a.pairs)}
		if quiet {
			of.names = []string{"quiet"}
		}
		do(name, of)
	}
	a.pairs = nil
}

// list puts a product on the import list. The publication has the product's name as its id.
func (p *player) list(name string, a phrase) {
	l := &sandbox.Listing{
		Texts: map[string]sandbox.Text{
			"en": {Title: strings.ToUpper(name[:1]) + name[1:], Description: "<p>Made well.</p>"},
		},
		ProductID: name + "-product", Category: "GARDEN",
		Pictures: []sandbox.Picture{{URL: "https://images.example/" + name + "-1.png"}},
	}
	status, n := a.value("status"), a.count("variants", 1)
	for i := range n {
		l.Variants = append(l.Variants, variant(name, i+1, n > 1))
	}
	a.change(l)
	p.Market.Add(sandbox.Publication{ID: name, Listing: l, Status: status})
}

// variant is the n-th variant of a product, with a size to choose where there are several.
func variant(name string, n int, sized bool) sandbox.Variant {
	v := sandbox.Variant{
		ID: fmt.Sprintf("%s-v%d", name, n), SKU: fmt.Sprintf("%s-%d", strings.ToUpper(name), n), Cost: "10.00", MSRP: "20.00",
		Quantity: 5,
	}
	if sized {
		v.Options = []sandbox.Option{{Name: "Size", Value: strconv.Itoa(n)}}
	}
	return v
}

// supply has the supplier change a product.
func (p *player) supply(name string, a phrase) {
	var how []sandbox.Change
	if a.has("quiet") {
		how = append(how, sandbox.KeepUpdatedAt)
	}
	if status := a.value("status"); status != "" {
		p.must(p.Market.SetStatus(name, status))
	}
	switch a.value("listing") {
	case "none":
		had, _ := p.Market.Publication(name)
		p.taken[name] = had.Listing
		p.must(p.Market.SetListing(name, nil, how...))
	case "back":
		p.must(p.Market.SetListing(name, p.taken[name], how...))
	}
	if len(a.pairs) == 0 {
		return
	}
	p.must(p.Market.Update(name, func(l *sandbox.Listing) {
		n := a.count("variants", len(l.Variants))
		for len(l.Variants) < n {
			l.Variants = append(l.Variants, variant(name, len(l.Variants)+1, true))
		}
		l.Variants = l.Variants[:n]
		a.change(l)
	}, how...))
}

// change gives a listing, and all its variants or the one that of= names, what the pairs say.
func (a *phrase) change(l *sandbox.Listing) {
	of := l.Variants
	if n := a.count("of", 0); n > 0 {
		of = of[n-1 : n]
	}
	for _, c := range a.pairs {
		if a.ofListing(l, c.key, c.value) {
			continue
		}
		for i := range of {
			a.ofVariant(&of[i], c.key, c.value)
		}
	}
}

func (p *player) ofListing(l *sandbox.Listing, key, value string) (known bool) {
	key, language, _ := strings.Cut(key, ".")
	if language == "" {
		language = "en"
	}
	text := l.Texts[language]
	switch key {
	case "title", "html":
		if key == "title" {
			text.Title = value
		} else {
			text.Description = value
		}
		l.Texts[language] = text
		if value == "none" {
			delete(l.Texts, language)
		}
	case "category":
		l.Category = value
	case "brand":
		l.Brand = value
	case "pictures":
		l.Pictures = nil
		for address := range strings.SplitSeq(value, ",") {
			if address != "0" {
				l.Pictures = append(l.Pictures, sandbox.Picture{URL: "https://images.example/" + address})
			}
		}
	case "shipping":
		part := strings.Split(value, ":")
		l.Shipping = []sandbox.Shipping{{CountryGroup: part[0], FixedCosts: part[1], Days: p.number(part[2])}}
	default:
		return false
	}
	return true
}

func (p *player) ofVariant(v *sandbox.Variant, key, value string) {
	switch key {
	case "cost":
		v.Cost = value
	case "msrp":
		v.MSRP = value
	case "stock":
		v.Quantity = p.number(value)
	case "sku":
		v.SKU = value
	case "ean":
		v.EAN = value
	case "policy":
		v.Policy = value
	case "id":
		v.ID = value
	case "weight":
		v.Details.Weight = value
	case "available":
		v.Details.AvailableAt = value
	default:
		p.fail("%s: no such property of a product", key)
	}
}
