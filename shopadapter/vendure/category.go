package vendure

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// facetCode names the facet whose values are the marketplace's categories.
const facetCode = "pubsync-category"

// categoryCode is the facet value's code of a category: its path in lower case, "" for none.
func categoryCode(c shopadapter.Category) string {
	path := cmp.Or(c.Path, c.Name)
	switch {
	case path == "":
		return ""
	case regexp.MustCompile(`^[A-Z0-9]+(_[A-Z0-9]+)*$`).MatchString(path) && len(path) <= longestCode:
		return strings.ToLower(strings.ReplaceAll(path, "_", "-"))
	}
	return optionCode(path)
}

// longestCode bounds the code of a category, in bytes: MySQL keeps such a field in 255 characters.
const longestCode = 200

// planCategory says which values of the facet of categories the product is to have.
func (w *write) planCategory(ctx context.Context) (ids []string, write bool, err error) {
	held, ids := categories.held(w.held)
	want := categoryCode(w.Product.Category)
	if !w.Decide(shopadapter.FieldCategory, stamp.Hash{Exact: held}, stamp.Hash{Exact: want}, &w.stamp.Category) {
		return ids, false, nil
	}
	if want == "" {
		return nil, true, nil
	}
	label := w.Product.Category.Trail(" / ")
	value, err := w.a.facetValue(ctx, categories, want, label, w.view.channel.Language)
	return []string{value.ID}, true, err
}

// facetValue finds a facet's value by its code, or by its name where customers choose by that, or
// makes it, and the facet with it.
func (a *Adapter) facetValue(ctx context.Context, kind facetKind, code, name, language string) (facetValue, error) {
	select {
	case a.category <- struct{}{}:
	case <-ctx.Done():
		return facetValue{}, ctx.Err()
	}
	defer func() { <-a.category }()
	var found struct {
		Facets struct {
			Items []facet `json:"items"`
		} `json:"facets"`
		Values struct {
			Items []facetValue `json:"items"`
		} `json:"facetValues"`
	}
	filter := []input{{"code": input{"eq": code}}}
	if !kind.private {
		filter = append(filter, input{"name": input{"eq": name}})
	}
	variables := map[string]any{"facet": kind.code, "filter": filter}
	if err := a.call(ctx, findValueDocument, variables, &found); err != nil {
		return facetValue{}, step.Within("find "+kind.code, err)
	}
	if i := slices.IndexFunc(
		found.Values.Items, func(v facetValue) bool {
			return kind.ours(v.Facet.Code) && (v.Code == code || !kind.private && strings.EqualFold(v.Name, name))
		},
	); i >= 0 {
		return found.Values.Items[i], nil
	}
	defer a.filed.Forget()
	value := input{"code": code, "translations": named(language, name)}
	i := slices.IndexFunc(found.Facets.Items, func(f facet) bool { return kind.ours(f.Code) })
	if i < 0 {
		var made struct {
			Facet facet `json:"createFacet"`
		}
		err := a.call(ctx, createFacetDocument, map[string]any{"input": input{
			"code": kind.code, "isPrivate": kind.private, "translations": named(language, kind.name),
			"values": []input{value},
		}}, &made)
		if err != nil {
			return facetValue{}, step.Within("create facet "+kind.code, err)
		}
		if len(made.Facet.Values) == 1 {
			return made.Facet.Values[0], nil
		}
		return facetValue{}, shopadapter.Retry("the shop made a facet without its value")
	}
	value["facetId"] = found.Facets.Items[i].ID
	var made struct {
		Value facetValue `json:"createFacetValue"`
	}
	if err := a.call(ctx, createFacetValueDocument, map[string]any{"input": value}, &made); err != nil {
		return facetValue{}, step.Within("create "+kind.code, err)
	}
	return made.Value, nil
}

type facet struct {
	ID     string       `json:"id"`
	Code   string       `json:"code"`
	Values []facetValue `json:"values"`
}
