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

// ours tells whether a facet is the categories'. Vendure adds a number to a code that is taken, in
// another channel say.
func ours(code string) bool {
	rest, ok := strings.CutPrefix(code, facetCode)
	return ok && (rest == "" || regexp.MustCompile(`^-\d+$`).MatchString(rest))
}

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

// planCategory adds the facet values to the fields of the product when its category differs. The
// values of other facets are the merchant's and stay; so does a category that the merchant chose.
func (w *write) planCategory(ctx context.Context, fields input) error {
	var others []string
	for _, v := range w.held.FacetValues {
		if !ours(v.Facet.Code) {
			others = append(others, v.ID)
		}
	}
	held, want := categoriesOf(w.held), categoryCode(w.Product.Category)
	if !w.Decide(shopadapter.FieldCategory, stamp.Hash{Exact: held}, stamp.Hash{Exact: want}, &w.stamp.Category) {
		return nil
	}
	ids := slices.Concat([]string{}, others)
	if want != "" {
		id, err := w.a.categoryValue(ctx, want, w.Product.Category.Trail(" / "), w.view.channel.Language)
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	fields["facetValueIds"] = ids
	return nil
}

// categoriesOf is the codes of the categories that a product has, joined by commas.
func categoriesOf(p *product) string {
	var have []string
	for _, v := range p.FacetValues {
		if ours(v.Facet.Code) {
			have = append(have, v.Code)
		}
	}
	slices.Sort(have)
	return strings.Join(have, ",")
}

// categoryValue finds the facet's value for a code, or makes it, and the facet with it.
func (a *Adapter) categoryValue(ctx context.Context, code, name, language string) (string, error) {
	select {
	case a.category <- struct{}{}:
	case <-ctx.Done():
		return "", ctx.Err()
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
	if err := a.call(ctx, findCategoryDocument, map[string]any{"code": code}, &found); err != nil {
		return "", step.Within("find category", err)
	}
	if i := slices.IndexFunc(
		found.Values.Items, func(v facetValue) bool { return v.Code == code && ours(v.Facet.Code) },
	); i >= 0 {
		return found.Values.Items[i].ID, nil
	}
	value := input{"code": code, "translations": named(language, name)}
	i := slices.IndexFunc(found.Facets.Items, func(f facet) bool { return ours(f.Code) })
	if i < 0 {
		var made struct {
			Facet facet `json:"createFacet"`
		}
		err := a.call(ctx, createFacetDocument, map[string]any{"input": input{
			"code": facetCode, "isPrivate": true, "translations": named(language, "Category"), "values": []input{value},
		}}, &made)
		if err != nil {
			return "", step.Within("create category facet", err)
		}
		if len(made.Facet.Values) == 1 {
			return made.Facet.Values[0].ID, nil
		}
		return "", shopadapter.Retry("the shop made a facet without its value")
	}
	value["facetId"] = found.Facets.Items[i].ID
	var made struct {
		Value facetValue `json:"createFacetValue"`
	}
	if err := a.call(ctx, createFacetValueDocument, map[string]any{"input": value}, &made); err != nil {
		return "", step.Within("create category", err)
	}
	return made.Value.ID, nil
}

type facet struct {
	ID     string       `json:"id"`
	Code   string       `json:"code"`
	Values []facetValue `json:"values"`
}
