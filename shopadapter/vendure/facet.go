package vendure

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/slug"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// A facetKind is a facet of which a product gets one value.
type facetKind struct {
	code    string
	name    string // in the shop, if the adapter makes it
	private bool
	group   shopadapter.Fields // of a product's value
}

// "brand" is Vendure's convention for storefronts: the merchant's own facet serves where there is one.
var (
	categories = facetKind{"pubsync-category", "Category", true, shopadapter.FieldCategory}
	brands     = facetKind{"brand", "Brand", false, shopadapter.FieldBrand}

	facetKinds = []facetKind{categories, brands}
)

// ours reports whether a facet has this kind. Vendure numbers a code that is taken, for example in another channel.
func (k facetKind) ours(code string) bool {
	rest, ok := strings.CutPrefix(code, k.code)
	return ok && (rest == "" || numbered.MatchString(rest))
}

var numbered = regexp.MustCompile(`^-\d+$`)

// held returns the codes of a product's values, joined by commas, and their ids.
func (k facetKind) held(p *product) (codes string, ids []string) {
	var all []string
	for _, v := range p.FacetValues {
		if k.ours(v.Facet.Code) {
			all, ids = append(all, v.Code), append(ids, v.ID)
		}
	}
	slices.Sort(all)
	return strings.Join(all, ","), ids
}

func (k facetKind) written(n *note) *kit.Written {
	if k == brands {
		return &n.Brand
	}
	return &n.Category
}

// lost returns the written value's code if the product has no value of this kind now, else "": another value is the
// merchant's choice.
func (k facetKind) lost(p *product, n note) string {
	if codes, _ := k.held(p); codes != "" {
		return ""
	}
	return k.written(&n).Exact
}

// standing returns which of these codes our facets still have, as facet code, slash and value code.
func (a *Adapter) standing(ctx context.Context, codes []string) (map[string]bool, error) {
	all := map[string]bool{}
	for some := range slices.Chunk(codes, pageSize) {
		var answer struct{ FacetValues list[facetValue] }
		// values of several facets may have the same code
		variables := input{"codes": some, "take": 2 * pageSize}
		if err := a.call(ctx, standingDocument, variables, &answer); err != nil {
			return nil, err
		}
		for _, v := range answer.FacetValues.Items {
			for _, kind := range facetKinds {
				if kind.ours(v.Facet.Code) {
					all[kind.code+"/"+v.Code] = true
				}
			}
		}
	}
	return all, nil
}

const (
	longestCode  = 200 // bytes: MySQL keeps the field in 255 characters
	longestBrand = 60  // runes
)

var plainPath = regexp.MustCompile(`^[A-Z0-9]+(_[A-Z0-9]+)*$`)

func categoryCode(c shopadapter.Category) string {
	path := cmp.Or(c.Path, c.Name)
	switch {
	case path == "":
		return ""
	case plainPath.MatchString(path) && len(path) <= longestCode:
		return strings.ToLower(strings.ReplaceAll(path, "_", "-"))
	}
	return optionCode(path)
}

func brandCode(brand string) string {
	if brand == "" {
		return ""
	}
	return cmp.Or(slug.ASCII(brand, longestBrand), optionCode(brand))
}

// planFacets adds the facet values if category or brand change. Other facets' values stay, and so does the
// merchant's choice of category or brand.
func (w *write) planFacets(ctx context.Context) error {
	values, differs := slices.Clone(w.held.FacetValues), false
	for _, kind := range facetKinds {
		id, write, err := w.planFacet(ctx, kind)
		if err != nil {
			return err
		}
		if !write {
			continue
		}
		differs = true
		values = slices.DeleteFunc(values, func(v facetValue) bool { return kind.ours(v.Facet.Code) })
		if id != "" {
			values = append(values, facetValue{ID: id})
		}
	}
	if differs {
		w.fields["facetValueIds"] = kit.Each(values, func(v facetValue) string { return v.ID })
	}
	return nil
}

// planFacet returns the value to write, "" for none. It makes a value again that somebody deleted in the shop.
func (w *write) planFacet(ctx context.Context, kind facetKind) (id string, write bool, err error) {
	if !w.Changed.Has(kind.group) || w.p.Unknown.Has(kind.group) {
		return "", false, nil
	}
	held, _ := kind.held(w.held)
	last := kind.written(&w.note)
	if code := kind.lost(w.held, w.note); code != "" {
		there, err := w.a.standing(ctx, []string{code})
		if err != nil {
			return "", false, err
		}
		if !there[kind.code+"/"+code] {
			*last = kit.Written{}
		}
	}
	code, name := categoryCode(w.p.Category), w.p.Category.Trail(" / ")
	if kind == brands {
		code, name = brandCode(w.p.Brand), w.p.Brand
	}
	switch {
	case code == "" && last.Exact == "": // the supplier offers no replacement
		if held != "" && !w.Own {
			w.Keep(kind.group)
		}
		return "", false, nil
	case !w.Decide(kind.group, kit.Hash{Exact: held}, kit.Hash{Exact: code}, last):
		return "", false, nil
	case code == "":
		return "", true, nil
	}
	value, err := w.a.facetValue(ctx, kind, code, name, w.view.Channel.Language)
	last.ReadBack(kit.Hash{Exact: value.Code}) // the shop's brand may have a code of its own
	return value.ID, true, err
}

// facetValue finds a value by its code, or a public one by its name, or else makes it, with its facet if needed.
func (a *Adapter) facetValue(ctx context.Context, kind facetKind, code, name, language string) (facetValue, error) {
	if err := a.facets.Acquire(ctx, 1); err != nil {
		return facetValue{}, err
	}
	defer a.facets.Release(1)
	var found struct {
		Facets      list[facet]
		FacetValues list[facetValue]
	}
	filter := []input{{"code": input{"eq": code}}}
	if !kind.private {
		filter = append(filter, input{"name": input{"contains": name}}) // eq respects case in some databases
	}
	if err := a.call(ctx, findValueDocument, input{"facet": kind.code, "filter": filter}, &found); err != nil {
		return facetValue{}, err
	}
	for _, v := range found.FacetValues.Items {
		if kind.ours(v.Facet.Code) && (v.Code == code || !kind.private && strings.EqualFold(v.Name, name)) {
			return v, nil
		}
	}
	value := input{"code": code, "translations": named(language, name)}
	var made struct {
		CreateFacetValue facetValue
		CreateFacet      facet
	}
	for _, f := range found.Facets.Items {
		if kind.ours(f.Code) {
			value["facetId"] = f.ID
			err := a.call(ctx, createFacetValueDocument, input{"input": value}, &made)
			return made.CreateFacetValue, err
		}
	}
	err := a.call(ctx, createFacetDocument, input{"input": input{
		"code": kind.code, "isPrivate": kind.private, "translations": named(language, kind.name), "values": []input{value},
	}}, &made)
	switch {
	case err != nil:
		return facetValue{}, err
	case len(made.CreateFacet.Values) != 1:
		return facetValue{}, shopadapter.Retry("the shop made a facet without its value")
	}
	return made.CreateFacet.Values[0], nil
}
