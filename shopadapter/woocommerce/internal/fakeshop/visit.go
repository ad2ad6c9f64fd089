package fakeshop

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// A Term is a value of a global attribute. A variation is kept with the slug, which stays when
// the merchant renames it.
type Term struct {
	id         int64
	name, slug string
}

// term is the value of a global attribute with this name or slug, nil where there is none.
func (f *Shop) term(global int64, is func(*Term) bool) *Term {
	for _, t := range f.terms[global] {
		if is(t) {
			return t
		}
	}
	return nil
}

func named(name string) func(*Term) bool { return func(t *Term) bool { return t.name == name } }

// makeTerms makes the values that a global attribute lacks, as the write of a product's attributes
// does.
func (f *Shop) makeTerms(global int64, values []string) {
	for _, value := range values {
		if f.term(global, named(value)) == nil {
			f.NextPost++
			f.terms[global] = append(f.terms[global], &Term{f.NextPost, value, postSlug(value)})
		}
	}
}

// keptOption is what a variation keeps of a value: that of a global attribute as the slug of its
// term, or as what would be the slug.
func (f *Shop) keptOption(a Attribute, value string) string {
	value = optionOfVariation(value)
	if a.ID == 0 || value == "" {
		return value
	}
	if t := f.term(a.ID, named(value)); t != nil {
		return t.slug
	}
	return postSlug(value)
}

// shownOption is the value of a variation as the API shows it.
func (f *Shop) shownOption(a Attribute, kept string) string {
	if a.ID > 0 {
		if t := f.term(a.ID, func(t *Term) bool { return t.slug == kept }); t != nil {
			return t.name
		}
	}
	return kept
}

// visit answers POST /?wc-ajax=get_variation, with which a product's page finds the variation of
// what a visitor has chosen: the first in the order of the variations that carries each value
// chosen. One without a value for an attribute fits any.
func (f *Shop) visit(body string) (any, error) {
	form, err := url.ParseQuery(body)
	if err != nil {
		return nil, err
	}
	f.Mu.Lock()
	defer f.Mu.Unlock()
	id, _ := strconv.ParseInt(form.Get("product_id"), 10, 64)
	p := f.Posts[id]
	if p == nil || p.Kind != "variable" || p.Status != "publish" {
		return false, nil
	}
	for _, v := range f.visible(p) {
		fits := true
		for _, a := range p.Attributes {
			kept := v.Options[a.Key]
			chosen, asked := form["attribute_"+a.Key]
			fits = fits && (!a.Variation || kept == "" || asked && chosen[0] == kept)
		}
		if !fits {
			continue
		}
		out := map[string]any{}
		f.showFigures(v, out)
		inStock := out["stock_status"] != "outofstock"
		most := any("")
		if v.Managed && v.Backorders == "no" {
			most = v.Quantity
		}
		return map[string]any{
			"variation_id": v.ID, "sku": cmp.Or(v.SKU, p.SKU), "display_price": json.Number(f.visitor(cmp.Or(v.Sale, v.Price,
				"0"))), "is_in_stock": inStock,
			"is_purchasable": v.Price != "", "max_qty": most,
		}, nil
	}
	return false, nil
}

// visible are the variations that a visitor may meet, in their order.
func (f *Shop) visible(p *Post) []*Post {
	var list []*Post
	for _, id := range f.Children(p.ID) {
		if f.Posts[id].Status == "publish" {
			list = append(list, f.Posts[id])
		}
	}
	slices.SortStableFunc(list, func(a, b *Post) int { return cmp.Compare(a.order, b.order) })
	return list
}

// choices is what the page of a product offers: of each attribute the values that a variation
// carries, or all of them where one carries none. A value is asked for in the form in which
// variations are kept with it.
func (f *Shop) choices(id shopadapter.ListingID) (product int64, shown, asked []map[string]string, err error) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	p := f.Find(id)
	if p == nil || p.Status != "publish" {
		return 0, nil, nil, errors.New("there is no such page")
	}
	shown, asked = []map[string]string{{}}, []map[string]string{{}}
	for _, a := range p.Attributes {
		if !a.Variation || p.Kind != "variable" {
			continue
		}
		var nextShown, nextAsked []map[string]string
		anything := slices.ContainsFunc(f.visible(p), func(v *Post) bool { return v.Options[a.Key] == "" })
		for _, option := range a.Options {
			kept := f.keptOption(a, option)
			if a.ID == 0 {
				kept = option
			}
			if !anything && !slices.ContainsFunc(f.visible(p), func(v *Post) bool { return v.Options[a.Key] == kept }) {
				continue
			}
			for i := range shown {
				s, k := maps.Clone(shown[i]), maps.Clone(asked[i])
				s[a.Name], k["attribute_"+a.Key] = option, kept
				nextShown, nextAsked = append(nextShown, s), append(nextAsked, k)
			}
		}
		shown, asked = nextShown, nextAsked
	}
	return p.ID, shown, asked, nil
}

// Visits makes every choice of a product's page.
func (f *Shop) Visits(ctx context.Context, id shopadapter.ListingID) ([]laws.Choice, error) {
	product, shown, asked, err := f.choices(id)
	if err != nil {
		return nil, err
	}
	f.Mu.Lock()
	single := f.Find(id).Kind == "simple"
	p := *f.Find(id)
	f.Mu.Unlock()
	if single {
		return []laws.Choice{
			{SKU: p.SKU, Price: f.visitor(p.Price), InStock: p.Quantity > 0 || p.Backorders != "no", Quantity: int(p.Quantity)},
		}, nil
	}
	var all []laws.Choice
	for i := range asked {
		form := url.Values{"product_id": {strconv.FormatInt(product, 10)}}
		for name, value := range asked[i] {
			form.Set(name, value)
		}
		req, err := http.NewRequestWithContext(
			ctx, http.MethodPost, f.Base+"/?wc-ajax=get_variation", strings.NewReader(form.Encode()),
		)
		if err != nil {
			return nil, err
		}
		req.Header.Set("User-Agent", "Mozilla/5.0")
		got, err := f.chosen(req)
		if err != nil {
			return nil, err
		}
		got.Options = shown[i]
		all = append(all, got)
	}
	return all, nil
}

func (f *Shop) chosen(req *http.Request) (laws.Choice, error) {
	resp, err := f.RoundTrip(req)
	if err != nil {
		return laws.Choice{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return laws.Choice{}, err
	}
	if strings.TrimSpace(string(body)) == "false" {
		return laws.Choice{}, nil
	}
	var v struct {
		SKU     string      `json:"sku"`
		Price   json.Number `json:"display_price"`
		InStock bool        `json:"is_in_stock"`
		Most    any         `json:"max_qty"`
	}
	if err := json.Unmarshal(body, &v); err != nil {
		return laws.Choice{}, fmt.Errorf("the page was answered with %s: %w", body, err)
	}
	c := laws.Choice{SKU: v.SKU, Price: v.Price.String(), InStock: v.InStock, Quantity: -1}
	if most, ok := v.Most.(float64); ok {
		c.Quantity = int(most)
	}
	return c, nil
}

// RenameOption gives an attribute of a product another name, as the merchant does who then chooses
// the values of the variations anew.
func (f *Shop) RenameOption(id shopadapter.ListingID, option, name string) error {
	return f.reshape(id, option, func(a *Attribute) { a.Name, a.Key = name, attributeKey(name) }, nil)
}

// RenameValue gives a value of an attribute another name, in the product and in its variations.
func (f *Shop) RenameValue(id shopadapter.ListingID, option, value, name string) error {
	return f.reshape(
		id,
		option,
		func(a *Attribute) { a.Options[slices.Index(a.Options, value)] = name },
		func(_ Attribute, kept string) string {
			if kept == value {
				return name
			}
			return kept
		},
	)
}

// MakeGlobal turns an attribute of a product into a global one, and moves the variations along.
func (f *Shop) MakeGlobal(id shopadapter.ListingID, option string, global int64) error {
	return f.reshape(id, option, func(a *Attribute) {
		a.ID, a.Name = global, f.globals[global]
		a.Key = a.slug()
		f.makeTerms(global, a.Options)
	}, func(a Attribute, kept string) string { return f.keptOption(a, kept) })
}

// RenameTerm renames a value of a global attribute, for every product.
func (f *Shop) RenameTerm(global int64, value, name string) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	f.term(global, named(value)).name = name
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
