package woocommerce

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"html"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/fakeshop"
)

// visitor is the price that a visitor is shown of one that is stored. WooCommerce rounds the tax,
// and the sum of price and tax.
func (f *fakeShop) visitor(price string) string {
	shown, err := decimal.NewFromString(price)
	if err != nil {
		return price
	}
	if f.Taxes && f.Exclude {
		shown = shown.Add(shown.Mul(decimal.RequireFromString("0.21")).Round(2))
	} else if f.Decimals == "" {
		return price
	}
	if f.Decimals == "0" {
		return shown.StringFixed(0)
	}
	return shown.StringFixed(2)
}

// Observe looks at the shop as a customer and its owner do.
func (f *fakeShop) Observe(context.Context) ([]laws.Seen, error) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	var products []laws.Seen
	for _, id := range slices.Sorted(maps.Keys(f.Posts)) {
		p := f.Posts[id]
		if p.Kind == "variation" || p.Status == "trash" {
			continue
		}
		s := laws.Seen{
			Listing: shopadapter.ListingID(idText(number(id))), OnSale: p.Status == "publish",
			Title: p.Name, Description: p.Content,
			Details: map[string]string{
				"brand": names(fakeshop.ShownTerms(f.Brands, p.Brands)), "materials": featureOf(p, "Material"),
				"origin": featureOf(p, "Country of origin"),
			},
		}
		note := readOwner(p)
		if s.Publication = shopadapter.PublicationID(note.publication); note.publication == "" {
			note.key = ""
		}
		if len(p.Categories) == 1 {
			for _, c := range fakeshop.ShownTerms(f.Categories, p.Categories) {
				s.Category = c["name"].(string)
			}
		}
		for _, image := range p.Images {
			if shown := f.Media[image]; shown != nil {
				s.Images = append(s.Images, shown.Source)
			}
		}
		s.Variants = f.observeVariants(p, note)
		products = append(products, s)
	}
	return products, nil
}

func names(terms []map[string]any) string {
	var all []string
	for _, t := range terms {
		all = append(all, html.UnescapeString(t["name"].(string)))
	}
	return strings.Join(all, ", ")
}

func (f *fakeShop) observeVariants(p *fakeshop.Post, note owner) []laws.SeenVariant {
	units := shopadapter.Units{Weight: f.WeightUnit, Length: f.DimensionUnit}
	seen := func(v *fakeshop.Post, id string, options map[string]string) laws.SeenVariant {
		quantity := -1
		if v.Managed {
			quantity = int(v.Quantity)
		}
		return laws.SeenVariant{
			ID: id, ShopID: idText(number(v.ID)), SKU: v.SKU, Options: options, Price: f.visitor(v.Price),
			Quantity: quantity, Backorders: v.Backorders == "yes", Details: map[string]string{
				"ean": v.EAN, "weight": units.WeightIn(v.Weight, "kg"),
				"length": units.LengthIn(v.Dimensions["length"], "cm"), "width": units.LengthIn(v.Dimensions["width"], "cm"),
				"height": units.LengthIn(v.Dimensions["height"], "cm"),
			},
		}
	}
	if p.Kind == "simple" {
		return []laws.SeenVariant{seen(p, note.variant, map[string]string{})}
	}
	var list []laws.SeenVariant
	for _, id := range f.Children(p.ID) {
		v := f.Posts[id]
		if v.Status != "publish" {
			continue
		}
		options := map[string]string{}
		for _, a := range p.Attributes {
			// A customer can choose only what the product lists.
			if value := v.Options[a.Key]; a.Variation && slices.Contains(a.Options, value) {
				options[a.Name] = value
			}
		}
		list = append(list, seen(v, note.variantOf(v), options))
	}
	return list
}

// featureOf is the values of an attribute that is no choice, as a visitor reads them.
func featureOf(p *fakeshop.Post, name string) string {
	for _, a := range p.Attributes {
		if a.Name == name && a.Visible && !a.Variation {
			return strings.Join(a.Options, ", ")
		}
	}
	return ""
}

// An owner is what the adapter's note on a product says of whose it is.
type owner struct {
	key         string // the publication's id as notes hold it
	publication string
	variant     string // the one that the product itself is
}

func readOwner(p *fakeshop.Post) (o owner) {
	var note struct {
		kit.Note
		Variant string `json:"variant"`
	}
	text, _ := p.Meta[noteKey].(string)
	_ = json.Unmarshal([]byte(text), &note) // what cannot be read is nobody's
	o.key = note.ID
	o.variant, _ = url.QueryUnescape(note.Variant)
	if note.Original(idText(number(p.ID))) {
		o.publication, _ = url.QueryUnescape(note.ID)
	}
	return o
}

// variantOf is the variant that the note on a variation names, where the publication is this one.
func (o owner) variantOf(v *fakeshop.Post) string {
	var note struct{ ID, Variant string }
	text, _ := v.Meta[noteKey].(string)
	if _ = json.Unmarshal([]byte(text), &note); note.ID != o.key {
		return ""
	}
	variant, _ := url.QueryUnescape(note.Variant)
	return variant
}

// Visits makes every choice that the page of a product offers: of each attribute the values that a
// variation carries, or all of them where one carries none.
func (f *fakeShop) Visits(_ context.Context, id shopadapter.ListingID) (all []laws.Choice, err error) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	p := f.Find(id)
	if p == nil || p.Status != "publish" {
		return nil, errors.New("there is no such page")
	}
	if p.Kind == "simple" {
		return []laws.Choice{{
			SKU: p.SKU, Price: f.visitor(p.Price), InStock: p.Availability() != "outofstock", Quantity: int(p.Quantity),
		}}, nil
	}
	variations := f.visible(p)
	chosen := []map[string]string{{}}
	for _, a := range p.Attributes {
		if !a.Variation {
			continue
		}
		var next []map[string]string
		for _, option := range a.Options {
			if !slices.ContainsFunc(variations, func(v *fakeshop.Post) bool {
				return v.Options[a.Key] == "" || v.Options[a.Key] == option
			}) {
				continue
			}
			for _, before := range chosen {
				with := maps.Clone(before)
				with[a.Name] = option
				next = append(next, with)
			}
		}
		chosen = next
	}
	for _, choice := range chosen {
		c := f.visit(p, variations, choice)
		c.Options = choice
		all = append(all, c)
	}
	return all, nil
}

// visit is what POST /?wc-ajax=get_variation finds for a product's page: the first of its
// variations, in their order, that carries each value chosen. One without a value for an attribute
// fits any.
func (f *fakeShop) visit(p *fakeshop.Post, variations []*fakeshop.Post, chosen map[string]string) laws.Choice {
	for _, v := range variations {
		if slices.ContainsFunc(p.Attributes, func(a fakeshop.Attribute) bool {
			kept := v.Options[a.Key]
			return a.Variation && kept != "" && chosen[a.Name] != kept
		}) {
			continue
		}
		c := laws.Choice{
			SKU: cmp.Or(v.SKU, p.SKU), Price: f.visitor(cmp.Or(v.Sale, v.Price, "0")), InStock: v.Availability() != "outofstock",
			Quantity: -1,
		}
		if v.Managed && v.Backorders == "no" {
			c.Quantity = int(v.Quantity)
		}
		return c
	}
	return laws.Choice{}
}

// visible are the variations that a visitor may meet, in their order.
func (f *fakeShop) visible(p *fakeshop.Post) []*fakeshop.Post {
	var list []*fakeshop.Post
	for _, id := range f.Children(p.ID) {
		if f.Posts[id].Status == "publish" {
			list = append(list, f.Posts[id])
		}
	}
	slices.SortStableFunc(list, func(a, b *fakeshop.Post) int { return cmp.Compare(a.Order, b.Order) })
	return list
}
