package sandbox

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"
)

// Bounds of an order, so that a typo does not fill the memory.
const (
	maxOrdered  = 10_000 // publications added by one order
	maxVariants = 500
	maxImages   = 50
)

func (m *Marketplace) orderAdd(o Order) ([]string, string, error) {
	count := max(o.Count, 1)
	if o.Count < 0 || count > maxOrdered {
		return nil, "", fmt.Errorf("%d publications: one order adds 1 to %d", o.Count, maxOrdered)
	}
	templates := Catalogue()
	if o.Template != "" {
		templates = slices.DeleteFunc(templates, func(t Template) bool { return t.Name != o.Template })
		if len(templates) == 0 {
			return nil, "", fmt.Errorf(
				"the catalogue has no template %q: one of %s", o.Template, strings.Join(templateNames(), ", "),
			)
		}
	}
	ids := m.addTemplates(count, templates)
	if count == 1 {
		return ids, "the retailer imports " + m.title(ids[0]), nil
	}
	return ids, fmt.Sprintf("the retailer imports %d products", count), nil
}

func templateNames() (names []string) {
	for _, t := range Catalogue() {
		names = append(names, t.Name)
	}
	return names
}

func (m *Marketplace) orderPrice(o Order) ([]string, string, error) {
	next, err := repricing(o)
	if err != nil {
		return nil, "", err
	}
	id, err := m.one(o)
	if err != nil {
		return nil, "", err
	}
	var old, now string
	err = m.alterVariants(id, o.Variant, func(v *Variant) error {
		before := v.MSRP
		if err := next(v); err != nil {
			return err
		}
		if old == "" {
			old, now = before, v.MSRP
		}
		return nil
	})
	return []string{id}, fmt.Sprintf("the supplier changes the price of %s from %s to %s", m.title(id), old, now), err
}

// repricing reads the amount of a price order.
func repricing(o Order) (func(*Variant) error, error) {
	factor, relative := strings.CutPrefix(o.Amount, "x")
	amount, err := decimal.NewFromString(factor)
	switch {
	case o.Amount == "" && o.Cost == "":
		return nil, errors.New("it needs an amount such as 12.50 or x1.1, or a cost")
	case o.Amount != "" && (err != nil || amount.IsNegative() || len(factor) > 20):
		return nil, fmt.Errorf("%q is neither a price such as 12.50 nor a factor such as x1.1", o.Amount)
	}
	if o.Cost != "" {
		if cost, err := decimal.NewFromString(o.Cost); err != nil || cost.IsNegative() {
			return nil, fmt.Errorf("%q is not a cost such as 8.00", o.Cost)
		}
	}
	return func(v *Variant) error {
		switch {
		case relative:
			for _, price := range []*string{&v.MSRP, &v.Cost} {
				before, err := decimal.NewFromString(*price)
				if err != nil {
					return fmt.Errorf("variant %s has no price to multiply", v.ID)
				}
				*price = before.Mul(amount).StringFixed(2)
			}
		case o.Amount != "":
			v.MSRP = amount.StringFixed(2)
		}
		if o.Cost != "" {
			v.Cost = o.Cost
		}
		return nil
	}, nil
}

func (m *Marketplace) orderStock(o Order) ([]string, string, error) {
	id, err := m.one(o)
	if err != nil {
		return nil, "", err
	}
	err = m.alterVariants(id, o.Variant, func(v *Variant) error { v.Quantity = o.Quantity; return nil })
	return []string{id}, fmt.Sprintf("the supplier has %d of %s", o.Quantity, m.title(id)), err
}

func (m *Marketplace) orderText(o Order) ([]string, string, error) {
	language := o.Language
	if language == "" {
		language = "en"
	}
	switch {
	case o.Title == "" && o.HTML == "":
		return nil, "", errors.New("it needs a title or a description")
	case !slices.Contains(m.opts.languages(), language):
		return nil, "", fmt.Errorf("no language %q: one of %s", language, strings.Join(m.opts.languages(), ", "))
	}
	id, err := m.one(o)
	if err != nil {
		return nil, "", err
	}
	before := m.title(id)
	err = m.alter(id, func(l *Listing) error {
		if l.Texts == nil {
			l.Texts = map[string]Text{}
		}
		text := l.Texts[language]
		if o.Title != "" {
			text.Title = o.Title
		}
		if o.HTML != "" {
			text.Description = o.HTML
		}
		l.Texts[language] = text
		return nil
	})
	return []string{id}, "the supplier rewrites " + before, err
}

func (m *Marketplace) orderImages(o Order) ([]string, string, error) {
	if o.Count < 0 || max(o.Count, len(o.Images)) > maxImages {
		return nil, "", fmt.Errorf("%d images: a listing has 0 to %d", max(o.Count, len(o.Images)), maxImages)
	}
	pictures := make([]Picture, 0, max(o.Count, len(o.Images)))
	for _, address := range o.Images {
		if u, err := url.Parse(address); err != nil || !absolute(address) || u.User != nil {
			return nil, "", fmt.Errorf("%q is not an absolute http or https address", address)
		}
		pictures = append(pictures, Picture{URL: address})
	}
	id, err := m.one(o)
	if err != nil {
		return nil, "", err
	}
	n := 0
	err = m.alter(id, func(l *Listing) error {
		drawn := Picture{Colour: "8c8c8c"}
		if len(l.Pictures) > 0 {
			drawn = l.Pictures[0]
			drawn.URL = ""
		}
		for len(pictures) < o.Count {
			pictures = append(pictures, drawn)
		}
		l.Pictures, n = pictures, len(pictures)
		return nil
	})
	return []string{id}, fmt.Sprintf("the supplier shows %s in %d pictures", m.title(id), n), err
}

func (m *Marketplace) orderVariants(o Order) ([]string, string, error) {
	if o.Count < 0 || o.Count > maxVariants {
		return nil, "", fmt.Errorf("%d variants: a listing has 0 to %d", o.Count, maxVariants)
	}
	id, err := m.one(o)
	if err != nil {
		return nil, "", err
	}
	err = m.alter(id, func(l *Listing) error {
		if len(l.Variants) == 0 && o.Count > 0 {
			l.Variants = only(strings.ToUpper(id), "10.00", "20.00", 5, Option{"Option", "One"})
		}
		l.Variants = l.Variants[:min(o.Count, len(l.Variants))]
		for len(l.Variants) < o.Count {
			l.Variants = append(l.Variants, l.another())
		}
		return nil
	})
	return []string{id}, fmt.Sprintf("the supplier offers %s in %d variants", m.title(id), o.Count), err
}

// another is one more variant like the last, with an id, a SKU and an option value of its own.
func (l *Listing) another() Variant {
	n := len(l.Variants)
	v := l.Variants[n-1]
	v.ID, v.EAN = "", ""
	if v.SKU != "" {
		v.SKU = strings.TrimSuffix(v.SKU, "-X"+strconv.Itoa(n)) + "-X" + strconv.Itoa(n+1)
	}
	v.Options = slices.Clone(v.Options)
	if len(v.Options) == 0 {
		v.Options = []Option{{Name: "Option"}}
	}
	v.Options[0].Value = fmt.Sprintf("No. %d", n+1)
	return v
}

// alter changes a listing. Where f returns an error nothing is changed, and no webhook is sent.
func (m *Marketplace) alter(id string, f func(*Listing) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.live(id)
	switch {
	case r == nil:
		return notListed(id)
	case r.Listing == nil:
		return fmt.Errorf("publication %q has no listing", id)
	}
	l := r.Listing.clone()
	if err := f(l); err != nil {
		return err
	}
	m.changed(r, l, nil)
	return nil
}

// alterVariants is alter for one variant, or for all.
func (m *Marketplace) alterVariants(id, variant string, f func(*Variant) error) error {
	return m.alter(id, func(l *Listing) error {
		found := false
		for i := range l.Variants {
			if variant != "" && l.Variants[i].ID != variant {
				continue
			}
			found = true
			if err := f(&l.Variants[i]); err != nil {
				return err
			}
		}
		if !found {
			return fmt.Errorf("publication %q has no variant %q", id, variant)
		}
		return nil
	})
}
