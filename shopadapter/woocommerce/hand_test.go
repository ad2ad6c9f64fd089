package woocommerce

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/fakeshop"
)

// What the merchant does by hand, in the back office.

// ByHand changes a variation, or a product with nothing to choose.
func (f *fakeShop) ByHand(v laws.SeenVariant, change func(*fakeshop.Post)) error {
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
func (f *fakeShop) Entered(price string) string {
	if !f.Taxes || !f.Exclude {
		return price
	}
	return decimal.RequireFromString(price).DivRound(decimal.RequireFromString("1.21"), 4).String()
}

// DeleteStamp deletes our metadata from a product and its variations, as a plugin that cleans up does.
func (f *fakeShop) DeleteStamp(_ context.Context, id shopadapter.ListingID) error {
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
func (f *fakeShop) TrashByHand(id shopadapter.ListingID) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	f.Trash(f.Find(id))
}

// Edit changes one text group.
func (f *fakeShop) Edit(_ context.Context, id shopadapter.ListingID, group shopadapter.Fields) error {
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
		f.Media[f.NextPost] = &fakeshop.Attachment{Source: "https://shop.example.com/own.jpg", File: "own.jpg", Name: "own"}
		p.Images = append([]int64{f.NextPost}, p.Images...)
	default:
		return fmt.Errorf("no text group: %s", group)
	}
	return nil
}

// EditDetail types another value.
func (f *fakeShop) EditDetail(
	_ context.Context, listing shopadapter.ListingID, v laws.SeenVariant, name string,
) error {
	if feature := map[string]string{"materials": "Material", "origin": "Country of origin"}[name]; feature != "" {
		f.Mu.Lock()
		defer f.Mu.Unlock()
		setFeature(f.Find(listing), feature, "My own")
		return nil
	}
	if name == "brand" {
		f.Mu.Lock()
		defer f.Mu.Unlock()
		f.Find(listing).Brands = []int64{int64(f.AddTerm(&f.Brands, "My own", "my-own", 0)["id"].(int))}
		return nil
	}
	return f.ByHand(v, func(p *fakeshop.Post) {
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

// setFeature gives a product an attribute that is no choice, or changes its values.
func setFeature(p *fakeshop.Post, name string, values ...string) {
	p.Attributes = slices.DeleteFunc(slices.Clone(p.Attributes), func(a fakeshop.Attribute) bool { return a.Name == name })
	p.Attributes = append(p.Attributes, fakeshop.Attribute{
		Key: fakeshop.SlugOf(name), Name: name, Visible: true, Position: len(p.Attributes), Options: values,
	})
}

// add adds a product or a variation as somebody made it in the back office, on sale.
func (f *fakeShop) add(p *fakeshop.Post) *fakeshop.Post {
	f.NextPost++
	p.ID, p.Status, p.Backorders = f.NextPost, cmp.Or(p.Status, "publish"), cmp.Or(p.Backorders, "no")
	if p.Slug = fmt.Sprint("own-", p.ID); p.Meta == nil {
		p.Meta = map[string]any{}
	}
	if f.Posts[p.ID] = p; p.SKU != "" {
		f.Lookup[strings.ToLower(p.SKU)] = p.ID
	}
	return p
}

// AddForeign adds a product of the merchant's own, with the SKUs of p.
func (f *fakeShop) AddForeign(p shopadapter.Product) shopadapter.ListingID {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	of := func(v shopadapter.Variant, p fakeshop.Post) *fakeshop.Post {
		p.SKU, p.Price, p.Managed, p.Quantity = v.SKU, v.Price, true, int64(v.Quantity)
		return f.add(&p)
	}
	own := fakeshop.Post{Kind: "simple", Name: p.Title, Content: p.Description, Categories: []int64{20}}
	if len(p.Variants) == 1 {
		return shopadapter.ListingID(idText(number(of(p.Variants[0], own).ID)))
	}
	own.Kind = "variable"
	f.add(&own)
	for _, name := range p.Options {
		own.Attributes = append(own.Attributes, fakeshop.Attribute{
			Key: fakeshop.SlugOf(name), Name: name, Visible: true, Variation: true,
		})
	}
	for _, v := range p.Variants {
		child := of(v, fakeshop.Post{Kind: "variation", Parent: own.ID, Options: map[string]string{}})
		for _, o := range v.Options {
			child.Options[fakeshop.SlugOf(o.Name)] = o.Value
			a := &own.Attributes[slices.Index(p.Options, o.Name)]
			if !slices.Contains(a.Options, o.Value) {
				a.Options = append(a.Options, o.Value)
			}
		}
	}
	return shopadapter.ListingID(idText(number(own.ID)))
}

// TryAll is what asking for the pictures from here tells.
func (f *fakeShop) TryAll(ctx context.Context, addresses []string) map[string]error {
	failed := map[string]error{}
	for _, address := range addresses {
		if f.silent[address] {
			failed[address] = errors.New("its server did not answer within 10s")
		}
	}
	if len(failed) > 0 {
		_ = kit.Pause(ctx, 10*time.Second)
	}
	return failed
}

// LosePicture takes the server of a picture away until back is called.
func (f *fakeShop) LosePicture(address string) (back func()) {
	return f.Spoil(
		address, "cURL error 7: Failed to connect to images.example.com port 443 after 0 ms: Couldn't connect to server",
	)
}

// Spoil has a picture refused with a text until back is called.
func (f *fakeShop) Spoil(address, why string) (back func()) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	before, gone := f.BadPicture, false
	f.BadPicture = func(src string) string {
		switch {
		case src == address && !gone:
			return why
		case before != nil:
			return before(src)
		}
		return ""
	}
	return func() {
		f.Mu.Lock()
		defer f.Mu.Unlock()
		gone = true
	}
}

// Uploads is how many pictures the shop has loaded.
func (f *fakeShop) Uploads() int {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	return f.Loaded
}

// rename gives a term another name, as "quick edit" does; the slug stays.
func (f *fakeShop) rename(list []map[string]any, name, other string) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	list[slices.IndexFunc(list, func(t map[string]any) bool { return t["name"] == name })]["name"] = other
}

// DeleteTerms deletes the brands, and the categories beyond those that the shop begins with: products
// have none then.
func (f *fakeShop) DeleteTerms() {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	f.Brands, f.Categories = nil, f.Categories[:6]
	for _, p := range f.Posts {
		p.Brands, p.Categories = nil, []int64{15}
	}
}

// Branches is the paths of the shop's categories beyond those that it begins with.
func (f *fakeShop) Branches() []string {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	var paths []string
	for _, c := range f.Categories[6:] {
		path := c["name"].(string)
		for above := c["parent"]; above != 0; {
			i := slices.IndexFunc(f.Categories, func(o map[string]any) bool { return o["id"] == above })
			if above = 0; i >= 0 {
				path, above = f.Categories[i]["name"].(string)+" > "+path, f.Categories[i]["parent"]
			}
		}
		paths = append(paths, path)
	}
	return paths
}

// RenameOption gives an attribute of a product another name, as the merchant does who then chooses
// the values of the variations anew.
func (f *fakeShop) RenameOption(id shopadapter.ListingID, option, name string) error {
	return f.reshape(id, option, func(a *fakeshop.Attribute) { a.Name, a.Key = name, fakeshop.SlugOf(name) }, nil)
}

// RenameValue gives a value of an attribute another name, in the product and in its variations.
func (f *fakeShop) RenameValue(id shopadapter.ListingID, option, value, name string) error {
	return f.reshape(id, option, func(a *fakeshop.Attribute) { a.Options[slices.Index(a.Options, value)] = name },
		map[string]string{value: name})
}

// MakeGlobal turns an attribute of a product into a global one, and moves the variations along.
func (f *fakeShop) MakeGlobal(id shopadapter.ListingID, option string, global int64) error {
	return f.reshape(id, option, func(a *fakeshop.Attribute) {
		a.ID, a.Name = global, f.Globals[global]
		a.Key = a.Slug()
	}, nil)
}

// reshape changes an attribute of a product, and in its variations the values that have another name
// now.
func (f *fakeShop) reshape(
	id shopadapter.ListingID, option string, change func(*fakeshop.Attribute), renamed map[string]string,
) error {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	p := f.Find(id)
	i := slices.IndexFunc(p.Attributes, func(a fakeshop.Attribute) bool { return a.Name == option })
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
		if delete(v.Options, old); has {
			v.Options[a.Key] = cmp.Or(renamed[value], value)
		}
	}
	return nil
}
