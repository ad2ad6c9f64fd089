package shopify

import (
	"encoding/json"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// compare tells which texts and pictures differ from what the stamp says. A translation that was
// not written, or that somebody removed, does not count: it is written again. The stamp goes before
// the translations, so what they are compared with may not have come.
func (p *product) compare(s *shop) stamp.Comparison {
	n := p.stamp()
	if !n.Done {
		return stamp.Comparison{}
	}
	var c stamp.Comparison
	c.Compare(n.titleGroup(s.primary, s.primary), stamp.HashMarkup(p.Title), n.Title)
	c.Compare(shopadapter.FieldDescription, stamp.HashMarkup(p.Description), n.Description)
	c.Compare(shopadapter.FieldCategory, stamp.HashMarkup(p.Type), n.Category)
	brand := p.Vendor
	if brand == s.name && n.Brand[brandName] != stamp.HashText(brand).Exact {
		brand = "" // the product was given no vendor
	}
	c.CompareDetails(shopadapter.FieldBrand, map[string]string{brandName: brand}, n.Brand)
	c.Unsure = true
	for locale, texts := range p.Translations {
		for _, t := range texts {
			last, wrote := n.Translations[locale][t.Key]
			if !wrote || t.Value == "" {
				continue
			}
			group := shopadapter.FieldDescription
			if t.Key == keyTitle {
				group = n.titleGroup(locale, s.primary)
			}
			c.Compare(group, stamp.HashMarkup(t.Value), last)
		}
	}
	if c.Compared |= shopadapter.FieldImages; !n.shows(p.Media) {
		c.Edited |= shopadapter.FieldImages
	}
	return c
}

// titleGroup is the group that the title in a language belongs to. primary is the store's own
// language.
func (s productStamp) titleGroup(language, primary string) shopadapter.Fields {
	if slices.Contains(s.Titles, language) || len(s.Titles) == 0 && language == primary {
		return shopadapter.FieldTitle
	}
	return shopadapter.FieldDescription
}

// shownProduct is a product without the translations, which have a name for each language.
type shownProduct product

// UnmarshalJSON reads a product, with the translations of an observation.
func (p *product) UnmarshalJSON(data []byte) error {
	if err := json.Unmarshal(data, (*shownProduct)(p)); err != nil {
		return err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	for name, texts := range all {
		locale, ok := unaliased(name)
		if !ok {
			continue
		}
		var list []shownText
		if err := json.Unmarshal(texts, &list); err != nil {
			return err
		}
		if p.Translations == nil {
			p.Translations = map[string][]shownText{}
		}
		p.Translations[locale] = list
	}
	return nil
}
