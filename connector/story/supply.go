package story

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// list puts products on the import list. The publication of each has the product's name as its id.
func list(p *player, _ string, a args) error {
	return a.each(func(name string, a args) error { return p.lists(name, a) })
}

func (p *player) lists(name string, a args) error {
	l := &sandbox.Listing{
		Texts: map[string]sandbox.Text{
			"en": {Title: strings.ToUpper(name[:1]) + name[1:], Description: "<p>Made well.</p>"},
		},
		ProductID: name + "-product", Category: "GARDEN",
		Pictures: []sandbox.Picture{{URL: "https://images.example/" + name + "-1.png"}},
	}
	of := sandbox.Publication{ID: name, Listing: l}
	of.Status, _ = a.take("status")
	n := 1
	if value, ok := a.take("variants"); ok {
		var err error
		if n, err = strconv.Atoi(value); err != nil {
			return err
		}
	}
	for i := range n {
		l.Variants = append(l.Variants, variant(name, i+1, n > 1))
	}
	if err := supplied(l, a); err != nil {
		return err
	}
	p.Market.Add(of)
	return nil
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

// supply has the supplier change products.
func supply(p *player, _ string, a args) error {
	return a.each(func(name string, a args) error { return p.supplies(name, a) })
}

func (p *player) supplies(name string, a args) error {
	var how []sandbox.Change
	if a.has("quiet") {
		how = append(how, sandbox.KeepUpdatedAt)
	}
	if status, ok := a.take("status"); ok {
		if err := p.Market.SetStatus(name, status); err != nil {
			return err
		}
	}
	if len(a) == 0 {
		return nil
	}
	if what, ok := a.take("listing"); ok {
		var l *sandbox.Listing
		if what != "none" {
			l = p.taken[name]
		} else if had, ok := p.Market.Publication(name); ok {
			p.taken[name] = had.Listing
		}
		return p.Market.SetListing(name, l, how...)
	}
	var failed error
	err := p.Market.Update(name, func(l *sandbox.Listing) {
		if value, ok := a.take("variants"); ok {
			n, err := strconv.Atoi(value)
			failed = err
			for len(l.Variants) < n {
				l.Variants = append(l.Variants, variant(name, len(l.Variants)+1, true))
			}
			l.Variants = l.Variants[:n]
		}
		if failed == nil {
			failed = supplied(l, a)
		}
	}, how...)
	if err == nil {
		err = failed
	}
	return err
}

// supplied gives a listing what some pairs say.
func supplied(l *sandbox.Listing, a args) error {
	of := l.Variants
	if value, ok := a.take("of"); ok {
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > len(of) {
			return fmt.Errorf("of=%s: there are %d variants", value, len(of))
		}
		of = of[n-1 : n]
	}
	pairs, names := a.pairs()
	if err := args(names).idle(); err != nil {
		return err
	}
	for _, pair := range pairs {
		key, value := pair[0], pair[1]
		if known, err := ofListing(l, key, value); known || err != nil {
			if err != nil {
				return err
			}
			continue
		}
		for i := range of {
			if err := ofVariant(&of[i], key, value); err != nil {
				return err
			}
		}
	}
	return nil
}

func ofListing(l *sandbox.Listing, key, value string) (known bool, err error) {
	key, language, _ := strings.Cut(key, ".")
	if language == "" {
		language = "en"
	}
	text := l.Texts[language]
	switch key {
	case "title":
		text.Title = value
	case "html":
		text.Description = value
	case "category":
		l.Category = value
	case "brand":
		l.Brand = value
	case "pictures":
		l.Pictures = nil
		if value == "0" {
			return true, nil
		}
		for address := range strings.SplitSeq(value, ",") {
			l.Pictures = append(l.Pictures, sandbox.Picture{URL: "https://images.example/" + address})
		}
	case "shipping":
		s := sandbox.Shipping{}
		s.CountryGroup, value, _ = strings.Cut(value, ":")
		costs, days, _ := strings.Cut(value, ":")
		s.FixedCosts = costs
		s.Days, _ = strconv.Atoi(days)
		l.Shipping = []sandbox.Shipping{s}
	default:
		return false, nil
	}
	if key == "title" || key == "html" {
		if value == "none" {
			delete(l.Texts, language)
		} else {
			l.Texts[language] = text
		}
	}
	return true, nil
}

func ofVariant(v *sandbox.Variant, key, value string) (err error) {
	switch key {
	case "cost":
		v.Cost = value
	case "msrp":
		v.MSRP = value
	case "stock":
		v.Quantity, err = strconv.Atoi(value)
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
		return fmt.Errorf("%s: no such property of a product", key)
	}
	return err
}

// market has the sandbox carry out an order.
func market(p *player, _ string, a args) error {
	switch a[0] {
	case "variants":
		p.Market.ShowVariants(map[string]sandbox.VariantList{
			"shown": sandbox.VariantsOfListings, "refused": sandbox.VariantsRefused, "failing": sandbox.VariantsFailing,
		}[a[1]])
		return nil
	case "unregister":
		for _, w := range p.Market.Webhooks() {
			p.Market.DeleteWebhook(w.ID)
		}
		return nil
	}
	o := sandbox.Order{Executed: a.has("executed")}
	if on, ok := a.take("on"); ok {
		o.On = sandbox.Kind(on)
	}
	if next, ok := a.take("next"); ok {
		o.Next, _ = strconv.Atoi(next) //nolint:errcheck // a story's author sees what it does
	}
	o.Do = a
	_, err := p.Market.Carry(o)
	return err
}
