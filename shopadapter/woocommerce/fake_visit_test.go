package woocommerce

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
	"github.com/pubsync/pubsync/shopadapter/shopadaptertest"
)

// A fakeTerm is a value of a global attribute. A variation is kept with the slug, which stays when
// the merchant renames it.
type fakeTerm struct {
	id         int64
	name, slug string
}

// term is the value of a global attribute with this name or slug, nil where there is none.
func (f *fakeShop) term(global int64, is func(*fakeTerm) bool) *fakeTerm {
	for _, t := range f.terms[global] {
		if is(t) {
			return t
		}
	}
	return nil
}

func named(name string) func(*fakeTerm) bool { return func(t *fakeTerm) bool { return t.name == name } }

// makeTerms makes the values that a global attribute lacks, as the write of a product's attributes
// does.
func (f *fakeShop) makeTerms(global int64, values []string) {
	for _, value := range values {
		if f.term(global, named(value)) == nil {
			f.nextPost++
			f.terms[global] = append(f.terms[global], &fakeTerm{f.nextPost, value, postSlug(value)})
		}
	}
}

// keptOption is what a variation keeps of a value: that of a global attribute as the slug of its
// term, or as what would be the slug.
func (f *fakeShop) keptOption(a fakeAttribute, value string) string {
	value = optionOfVariation(value)
	if a.id == 0 || value == "" {
		return value
	}
	if t := f.term(a.id, named(value)); t != nil {
		return t.slug
	}
	return postSlug(value)
}

// shownOption is the value of a variation as the API shows it.
func (f *fakeShop) shownOption(a fakeAttribute, kept string) string {
	if a.id > 0 {
		if t := f.term(a.id, func(t *fakeTerm) bool { return t.slug == kept }); t != nil {
			return t.name
		}
	}
	return kept
}

// visit answers POST /?wc-ajax=get_variation, with which a product's page finds the variation of
// what a visitor has chosen: the first in the order of the variations that carries each value
// chosen. One without a value for an attribute fits any.
func (f *fakeShop) visit(body string) (any, error) {
	form, err := url.ParseQuery(body)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	id, _ := strconv.ParseInt(form.Get("product_id"), 10, 64)
	p := f.posts[id]
	if p == nil || p.kind != "variable" || p.status != "publish" {
		return false, nil
	}
	for _, v := range f.visible(p) {
		fits := true
		for _, a := range p.attributes {
			kept := v.options[a.key]
			chosen, asked := form["attribute_"+a.key]
			fits = fits && (!a.variation || kept == "" || asked && chosen[0] == kept)
		}
		if !fits {
			continue
		}
		out := map[string]any{}
		f.showFigures(v, out)
		inStock := out["stock_status"] != "outofstock"
		most := any("")
		if v.managed && v.backorders == "no" {
			most = v.quantity
		}
		return map[string]any{
			"variation_id": v.id, "sku": cmp.Or(v.sku, p.sku), "display_price": json.Number(f.visitor(cmp.Or(v.sale, v.price, "0"))), "is_in_stock": inStock,
			"is_purchasable": v.price != "", "max_qty": most,
		}, nil
	}
	return false, nil
}

// visible are the variations that a visitor may meet, in their order.
func (f *fakeShop) visible(p *post) []*post {
	var list []*post
	for _, id := range f.children(p.id) {
		if f.posts[id].status == "publish" {
			list = append(list, f.posts[id])
		}
	}
	slices.SortStableFunc(list, func(a, b *post) int { return cmp.Compare(a.order, b.order) })
	return list
}

// choices is what the page of a product offers: of each attribute the values that a variation
// carries, or all of them where one carries none. A value is asked for in the form in which
// variations are kept with it.
func (f *fakeShop) choices(id shopadapter.ListingID) (product int64, shown, asked []map[string]string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.post(id)
	if p == nil || p.status != "publish" {
		return 0, nil, nil, errors.New("there is no such page")
	}
	shown, asked = []map[string]string{{}}, []map[string]string{{}}
	for _, a := range p.attributes {
		if !a.variation || p.kind != "variable" {
			continue
		}
		var nextShown, nextAsked []map[string]string
		anything := slices.ContainsFunc(f.visible(p), func(v *post) bool { return v.options[a.key] == "" })
		for _, option := range a.options {
			kept := f.keptOption(a, option)
			if a.id == 0 {
				kept = option
			}
			if !anything && !slices.ContainsFunc(f.visible(p), func(v *post) bool { return v.options[a.key] == kept }) {
				continue
			}
			for i := range shown {
				s, k := maps.Clone(shown[i]), maps.Clone(asked[i])
				s[a.name], k["attribute_"+a.key] = option, kept
				nextShown, nextAsked = append(nextShown, s), append(nextAsked, k)
			}
		}
		shown, asked = nextShown, nextAsked
	}
	return p.id, shown, asked, nil
}

// visits makes every choice of a product's page.
func (f *fakeShop) visits(ctx context.Context, id shopadapter.ListingID) ([]shopadaptertest.Choice, error) {
	product, shown, asked, err := f.choices(id)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	single := f.post(id).kind == "simple"
	p := *f.post(id)
	f.mu.Unlock()
	if single {
		return []shopadaptertest.Choice{
			{
				SKU:      p.sku,
				Price:    f.visitor(p.price),
				InStock:  p.quantity > 0 || p.backorders != "no",
				Quantity: int(p.quantity),
			},
		}, nil
	}
	var all []shopadaptertest.Choice
	for i := range asked {
		form := url.Values{"product_id": {strconv.FormatInt(product, 10)}}
		for name, value := range asked[i] {
			form.Set(name, value)
		}
		req, err := http.NewRequestWithContext(
			ctx,
			http.MethodPost,
			f.base+"/?wc-ajax=get_variation",
			strings.NewReader(form.Encode()),
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

func (f *fakeShop) chosen(req *http.Request) (shopadaptertest.Choice, error) {
	resp, err := f.RoundTrip(req)
	if err != nil {
		return shopadaptertest.Choice{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return shopadaptertest.Choice{}, err
	}
	if string(trimmed(body)) == "false" {
		return shopadaptertest.Choice{}, nil
	}
	var v struct {
		SKU     string      `json:"sku"`
		Price   json.Number `json:"display_price"`
		InStock bool        `json:"is_in_stock"`
		Most    any         `json:"max_qty"`
	}
	if err := json.Unmarshal(body, &v); err != nil {
		return shopadaptertest.Choice{}, fmt.Errorf("the page was answered with %s: %w", body, err)
	}
	c := shopadaptertest.Choice{SKU: v.SKU, Price: v.Price.String(), InStock: v.InStock, Quantity: -1}
	if most, ok := v.Most.(float64); ok {
		c.Quantity = int(most)
	}
	return c, nil
}

// renameOption gives an attribute of a product another name, as the merchant does who then chooses
// the values of the variations anew.
func (f *fakeShop) renameOption(id shopadapter.ListingID, option, name string) error {
	return f.reshape(id, option, func(a *fakeAttribute) { a.name, a.key = name, attributeKey(name) }, nil)
}

// renameValue gives a value of an attribute another name, in the product and in its variations.
func (f *fakeShop) renameValue(id shopadapter.ListingID, option, value, name string) error {
	return f.reshape(
		id,
		option,
		func(a *fakeAttribute) { a.options[slices.Index(a.options, value)] = name },
		func(_ fakeAttribute, kept string) string {
			if kept == value {
				return name
			}
			return kept
		},
	)
}

// makeGlobal turns an attribute of a product into a global one, and moves the variations along.
func (f *fakeShop) makeGlobal(id shopadapter.ListingID, option string, global int64) error {
	return f.reshape(id, option, func(a *fakeAttribute) {
		a.id, a.name = global, f.globals[global]
		a.key = a.slug()
		f.makeTerms(global, a.options)
	}, func(a fakeAttribute, kept string) string { return f.keptOption(a, kept) })
}

// renameTerm renames a value of a global attribute, for every product.
func (f *fakeShop) renameTerm(global int64, value, name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.term(global, named(value)).name = name
	for _, p := range f.posts {
		for i, a := range p.attributes {
			if n := slices.Index(a.options, value); a.id == global && n >= 0 {
				p.attributes[i].options = slices.Clone(a.options)
				p.attributes[i].options[n] = name
			}
		}
	}
}

// reshape changes an attribute of a product, and the value of it that each variation is kept with.
func (f *fakeShop) reshape(
	id shopadapter.ListingID,
	option string,
	change func(*fakeAttribute),
	kept func(fakeAttribute, string) string,
) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.post(id)
	i := slices.IndexFunc(p.attributes, func(a fakeAttribute) bool { return a.name == option })
	if i < 0 {
		return fmt.Errorf("the product has no attribute %s", option)
	}
	a := &p.attributes[i]
	old := a.key
	a.options = slices.Clone(a.options)
	change(a)
	for _, child := range f.children(p.id) {
		v := f.posts[child]
		value, has := v.options[old]
		v.options = maps.Clone(v.options)
		if delete(v.options, old); !has {
			continue
		}
		if kept != nil {
			value = kept(*a, value)
		}
		v.options[a.key] = value
	}
	return nil
}
