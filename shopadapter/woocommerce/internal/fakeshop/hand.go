package fakeshop

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// What the merchant does by hand, in the back office.

// noteKey is where the adapter keeps its notes.
const noteKey = "_pubsync"

// ByHand changes a variation, or a product with nothing to choose.
func (f *Shop) ByHand(v laws.SeenVariant, change func(*Post)) error {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	p := f.Find(shopadapter.ListingID(v.ShopID))
	if p == nil {
		return fmt.Errorf("the shop has no variation %q", v.ShopID)
	}
	change(p)
	return nil
}

// Entered is what is typed for a visitor to be shown a price.
func (f *Shop) Entered(price string) string {
	if !f.Taxes || !f.Exclude {
		return price
	}
	return decimal.RequireFromString(price).DivRound(decimal.RequireFromString("1.21"), 4).String()
}

// DeleteStamp deletes our metadata from a product and its variations, as a plugin that cleans up does.
func (f *Shop) DeleteStamp(_ context.Context, id shopadapter.ListingID) error {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	p := f.Find(id)
	if p == nil {
		return fmt.Errorf("the shop has no product %q", id)
	}
	for _, one := range append([]int64{p.ID}, f.Children(p.ID)...) {
		delete(f.Posts[one].Meta, noteKey)
	}
	return nil
}

// TrashByHand puts a product in the trash.
func (f *Shop) TrashByHand(id shopadapter.ListingID) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	f.Trash(f.Find(id))
}

// Edit changes one text group.
func (f *Shop) Edit(id shopadapter.ListingID, group shopadapter.Fields) error {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	p := f.Find(id)
	switch group {
	case shopadapter.FieldTitle:
		p.Name = "The merchant&#8217;s own"
	case shopadapter.FieldDescription:
		p.Content = "My own words.\n\nIn two paragraphs."
	case shopadapter.FieldCategory:
		p.Categories = []int64{20}
	case shopadapter.FieldImages:
		f.NextPost++
		f.Media[f.NextPost] = &Attachment{Source: "https://shop.example.com/own.jpg", File: "own.jpg", Name: "own"}
		p.Images = append([]int64{f.NextPost}, p.Images...)
	default:
		return fmt.Errorf("no text group: %s", group)
	}
	return nil
}

// EditDetail types another value.
func (f *Shop) EditDetail(
	_ context.Context, listing shopadapter.ListingID, v laws.SeenVariant, name string,
) error {
	if feature := map[string]string{"materials": "Material", "origin": "Country of origin"}[name]; feature != "" {
		f.Mu.Lock()
		defer f.Mu.Unlock()
		f.Find(listing).SetFeature(feature, "My own")
		return nil
	}
	if name == "brand" {
		f.Mu.Lock()
		defer f.Mu.Unlock()
		f.Find(listing).Brands = []int64{int64(f.addTerm(&f.Brands, "My own", "my-own", 0)["id"].(int))}
		return nil
	}
	return f.ByHand(v, func(p *Post) {
		switch other := fmt.Sprint(7000 + p.ID); name {
		case "ean":
			p.EAN = other
		case "weight":
			p.Weight = other
		default:
			sizes := map[string]string{name: other}
			for each, size := range p.Dimensions {
				sizes[each] = cmp.Or(sizes[each], size)
			}
			p.Dimensions = sizes
		}
	})
}

// SetFeature gives a product an attribute that is no choice, or changes its values.
func (p *Post) SetFeature(name string, values ...string) {
	p.Attributes = slices.DeleteFunc(slices.Clone(p.Attributes), func(a Attribute) bool { return a.Name == name })
	p.Attributes = append(p.Attributes, Attribute{
		Key: slugOf(name), Name: name, Visible: true, Position: len(p.Attributes), Options: values,
	})
}

// AddForeign adds a product of the merchant's own, with the SKUs of p.
func (f *Shop) AddForeign(p shopadapter.Product) shopadapter.ListingID {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	add := func(own *Post, v shopadapter.Variant) *Post {
		f.NextPost++
		own.ID, own.Status, own.Backorders, own.Meta = f.NextPost, "publish", "no", map[string]any{}
		if v.SKU != "" {
			own.SKU, own.Price, own.Managed, own.Quantity = v.SKU, v.Price, true, int64(v.Quantity)
			f.Lookup[strings.ToLower(v.SKU)] = own.ID
		}
		f.Posts[own.ID] = own
		return own
	}
	own := &Post{Kind: "simple", Name: p.Title, Content: p.Description, Categories: []int64{20}}
	own.Slug = f.freeSlug("own", 0)
	if len(p.Variants) == 1 {
		return shopadapter.ListingID(strconv.FormatInt(add(own, p.Variants[0]).ID, 10))
	}
	own.Kind = "variable"
	for _, name := range p.Options {
		own.Attributes = append(own.Attributes, Attribute{Key: slugOf(name), Name: name, Visible: true, Variation: true})
	}
	add(own, shopadapter.Variant{})
	for _, v := range p.Variants {
		child := add(&Post{Kind: "variation", Parent: own.ID, Options: map[string]string{}}, v)
		for _, o := range v.Options {
			child.Options[slugOf(o.Name)] = o.Value
			a := &own.Attributes[slices.Index(p.Options, o.Name)]
			if !slices.Contains(a.Options, o.Value) {
				a.Options = append(a.Options, o.Value)
			}
		}
	}
	return shopadapter.ListingID(strconv.FormatInt(own.ID, 10))
}

// RenameOption gives an attribute of a product another name, as the merchant does who then chooses
// the values of the variations anew.
func (f *Shop) RenameOption(id shopadapter.ListingID, option, name string) error {
	return f.reshape(id, option, func(a *Attribute) { a.Name, a.Key = name, slugOf(name) }, nil)
}

// RenameValue gives a value of an attribute another name, in the product and in its variations.
func (f *Shop) RenameValue(id shopadapter.ListingID, option, value, name string) error {
	rename := func(kept string) string {
		if kept == value {
			return name
		}
		return kept
	}
	return f.reshape(id, option, func(a *Attribute) { a.Options[slices.Index(a.Options, value)] = name },
		func(_ Attribute, kept string) string { return rename(kept) })
}

// MakeGlobal turns an attribute of a product into a global one, and moves the variations along.
func (f *Shop) MakeGlobal(id shopadapter.ListingID, option string, global int64) error {
	return f.reshape(id, option, func(a *Attribute) {
		a.ID, a.Name = global, f.globals[global]
		a.Key = a.slug()
		f.makeValues(global, a.Options)
	}, f.keptOption)
}

// RenameTerm renames a value of a global attribute, for every product.
func (f *Shop) RenameTerm(global int64, value, name string) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	f.value(global, named(value)).name = name
	for _, p := range f.Posts {
		for i, a := range p.Attributes {
			if n := slices.Index(a.Options, value); a.ID == global && n >= 0 {
				p.Attributes[i].Options = slices.Clone(a.Options)
				p.Attributes[i].Options[n] = name
			}
		}
	}
}

// reshape changes an attribute of a product, and the value of it that each variation is kept with.
func (f *Shop) reshape(
	id shopadapter.ListingID, option string, change func(*Attribute), kept func(Attribute, string) string,
) error {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	p := f.Find(id)
	i := slices.IndexFunc(p.Attributes, func(a Attribute) bool { return a.Name == option })
	if i < 0 {
		return fmt.Errorf("the product has no attribute %s", option)
	}
	a := &p.Attributes[i]
	old := a.Key
	a.Options = slices.Clone(a.Options)
	change(a)
	for _, child := range f.Children(p.ID) {
		v := f.Posts[child]
		value, has := v.Options[old]
		v.Options = maps.Clone(v.Options)
		if delete(v.Options, old); !has {
			continue
		}
		if kept != nil {
			value = kept(*a, value)
		}
		v.Options[a.Key] = value
	}
	return nil
}
