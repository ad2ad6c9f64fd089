package vendure_test

import "slices"

type fakeGroup struct {
	id, code, name string
	deleted        bool
	options        []*fakeOption
	buried         bool // an option of it was deleted while a deleted variant still points at it
}

type fakeOption struct {
	id, code, name string
	group          *fakeGroup
}

type fakeAsset struct {
	id, name string
	size     int
}

type fakeFacet struct {
	id, code string
	values   []*fakeValue
}

type fakeValue struct{ id, code, name string }

func english(name string) []object { return []object{{"languageCode": "en", "name": name}} }

func (g *fakeGroup) object() object {
	options := []object{}
	for _, o := range g.options {
		options = append(options, o.object())
	}
	return object{
		"__typename": "ProductOptionGroup", "id": g.id, "code": g.code, "name": g.name, "translations": english(g.name),
		"options": options,
	}
}

func (o *fakeOption) object() object {
	return object{
		"__typename":   "ProductOption",
		"id":           o.id,
		"code":         o.code,
		"name":         o.name,
		"translations": english(o.name),
	}
}

func (a *fakeAsset) object() object {
	return object{
		"__typename": "Asset",
		"id":         a.id,
		"name":       a.name,
		"source":     "https://assets.example/source/" + a.name,
		"fileSize":   a.size,
	}
}

func (f *fakeFacet) object() object {
	values := []object{}
	for _, v := range f.values {
		values = append(values, v.object(f))
	}
	return object{"__typename": "Facet", "id": f.id, "code": f.code, "values": values}
}

func (v *fakeValue) object(f *fakeFacet) object {
	return object{
		"__typename": "FacetValue",
		"id":         v.id,
		"code":       v.code,
		"name":       v.name,
		"facet":      object{"id": f.id, "code": f.code},
	}
}

func (f *fakeShop) asset(id string) *fakeAsset {
	if i := slices.IndexFunc(f.assets, func(a *fakeAsset) bool { return a.id == id }); i >= 0 {
		return f.assets[i]
	}
	return nil
}

// deleteAssets takes assets out of the library, and so off the products that show them.
func (f *fakeShop) deleteAssets(ids []any) {
	gone := func(a *fakeAsset) bool { return slices.Contains(ids, any(a.id)) }
	f.assets = slices.DeleteFunc(f.assets, gone)
	for _, p := range f.products {
		if p.assets = slices.DeleteFunc(slices.Clone(p.assets), gone); p.featured != nil && gone(p.featured) {
			p.featured = nil
		}
	}
}

func (f *fakeShop) value(id string) *fakeValue {
	for _, facet := range f.facets {
		for _, v := range facet.values {
			if v.id == id {
				return v
			}
		}
	}
	return nil
}

func (f *fakeShop) group(id string) *fakeGroup {
	if i := slices.IndexFunc(f.groups, func(g *fakeGroup) bool { return g.id == id && !g.deleted }); i >= 0 {
		return f.groups[i]
	}
	return nil
}

// users counts the products that have a group.
func (f *fakeShop) users(g *fakeGroup) int {
	n := 0
	for _, p := range f.products {
		if !p.deleted && slices.Contains(p.groups, g) {
			n++
		}
	}
	return n
}

// uses tells whether a variant, deleted or not, has an option.
func (f *fakeShop) uses(o *fakeOption, deleted bool) bool {
	for _, p := range f.products {
		for _, v := range p.variants {
			if v.deleted == deleted && slices.Contains(v.options, o) {
				return true
			}
		}
	}
	return false
}

// deleteOption takes an option out of its group. NOT_DELETED where a variant has it; buried where a
// deleted one has.
func (f *fakeShop) deleteOption(g *fakeGroup, o *fakeOption) string {
	if f.uses(o, false) {
		return "NOT_DELETED"
	}
	g.buried = g.buried || f.uses(o, true)
	g.options = slices.DeleteFunc(slices.Clone(g.options), func(other *fakeOption) bool { return other == o })
	return "DELETED"
}
