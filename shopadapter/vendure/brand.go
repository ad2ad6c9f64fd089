package vendure

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/slug"
)

// A facetKind is a facet of which the adapter gives a product one value.
type facetKind struct {
	code    string
	name    string // in the shop, where the adapter makes it
	private bool
	group   shopadapter.Fields // that a product's value belongs to
}

// The facets that a product has values of. That of brands is Vendure's convention, by which
// storefronts filter: the merchant's own facet is used where there is one.
var (
	categories = facetKind{code: facetCode, name: "Category", private: true, group: shopadapter.FieldCategory}
	brands     = facetKind{code: "brand", name: "Brand", group: shopadapter.FieldBrand}
)

// ours tells whether a facet is of this kind. Vendure adds a number to a code that is taken, in
// another channel say.
func (k facetKind) ours(code string) bool {
	rest, ok := strings.CutPrefix(code, k.code)
	return ok && (rest == "" || numbered.MatchString(rest))
}

var numbered = regexp.MustCompile(`^-\d+$`)

// held are the codes of the values of this kind that a product has, joined by commas, and their
// ids.
func (k facetKind) held(p *product) (codes string, ids []string) {
	var list []string
	for _, v := range p.FacetValues {
		if k.ours(v.Facet.Code) {
			list, ids = append(list, v.Code), append(ids, v.ID)
		}
	}
	slices.Sort(list)
	return strings.Join(list, ","), ids
}

// longestBrand bounds the code of a brand, in runes.
const longestBrand = 60

// brandCode is the facet value's code of a brand, where the adapter makes it.
func brandCode(brand string) string {
	code := slug.ASCII(brand, longestBrand)
	if code == "" {
		return optionCode(brand)
	}
	return code
}

// planBrand says which values of the facet of brands the product is to have.
func (w *write) planBrand(ctx context.Context) (ids []string, write bool, err error) {
	held, ids := brands.held(w.held)
	if !w.Changed.Has(shopadapter.FieldBrand) || w.Product.Unknown.Has(shopadapter.FieldBrand) {
		return ids, false, nil
	}
	value := facetValue{}
	if brand := w.Product.Brand; brand != "" {
		value, err = w.a.facetValue(ctx, brands, brandCode(brand), brand, w.view.channel.Language)
		if err != nil {
			return nil, false, err
		}
	}
	change := w.DecideDetails(
		shopadapter.FieldBrand, map[string]string{brands.code: held}, map[string]string{brands.code: value.Code},
		&w.stamp.Details,
	)
	if _, write = change[brands.code]; !write {
		return ids, false, nil
	}
	if value.ID == "" {
		return nil, true, nil
	}
	return []string{value.ID}, true, nil
}

// planFacets adds the facet values to the fields of the product when its category or its brand
// differs. The values of other facets are the merchant's and stay; so does a category or a brand
// that the merchant chose. One whose value somebody deleted is made again.
func (w *write) planFacets(ctx context.Context, fields input) error {
	if err := w.forgetDeleted(ctx); err != nil {
		return err
	}
	category, differs, err := w.planCategory(ctx)
	if err != nil {
		return err
	}
	brand, other, err := w.planBrand(ctx)
	if err != nil || !differs && !other {
		return err
	}
	ids := []string{}
	for _, v := range w.held.FacetValues {
		if !categories.ours(v.Facet.Code) && !brands.ours(v.Facet.Code) {
			ids = append(ids, v.ID)
		}
	}
	fields["facetValueIds"] = slices.Concat(ids, category, brand)
	return nil
}
