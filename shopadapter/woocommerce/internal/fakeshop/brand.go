package fakeshop

import (
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// A Brand is a term that products are of.
type Brand struct {
	ID   int64
	Name string // escaped, as WordPress keeps it
}

func (b Brand) shown() map[string]any {
	return map[string]any{"id": b.ID, "name": b.Name, "slug": strings.ToLower(strings.ReplaceAll(b.Name, " ", "-"))}
}

// listBrands finds those whose stored name holds what is searched for: one with an ampersand is not
// found by it.
func (f *Shop) listBrands(h http.Header, query url.Values) (int, any, *failure) {
	f.takes("read", 1)
	f.Mu.Lock()
	defer f.Mu.Unlock()
	found := []map[string]any{}
	for _, b := range f.Brands {
		if strings.Contains(strings.ToLower(b.Name), strings.ToLower(query.Get("search"))) {
			found = append(found, b.shown())
		}
	}
	return http.StatusOK, paged(h, found, query), nil
}

// createBrand refuses a second brand of a name, with the id of the first.
func (f *Shop) createBrand(input map[string]any) (int, any, *failure) {
	f.takes("category", 1)
	f.Mu.Lock()
	defer f.Mu.Unlock()
	name, _ := input["name"].(string)
	name = html.EscapeString(html.UnescapeString(strings.TrimSpace(markup.ReplaceAllString(name, ""))))
	switch {
	case f.NoTerms:
		return 0, nil, fail(
			http.StatusForbidden, "woocommerce_rest_cannot_create", "Sorry, you are not allowed to create resources.",
		)
	case name == "":
		return 0, nil, fail(http.StatusBadRequest, "empty_term_name", "A name is required for this term.")
	}
	for _, b := range f.Brands {
		if strings.EqualFold(b.Name, name) {
			e := fail(http.StatusBadRequest, "term_exists", "A term with the name provided already exists in this taxonomy.")
			e.data = map[string]any{"resource_id": b.ID}
			return 0, nil, e
		}
	}
	return http.StatusCreated, f.addBrand(name).shown(), nil
}

// addBrand makes a brand. Ids are not used twice.
func (f *Shop) addBrand(name string) Brand {
	f.NextPost++
	b := Brand{f.NextPost, name}
	f.Brands = append(f.Brands, b)
	return b
}

// DeleteBrands deletes all brands: products have none then.
func (f *Shop) DeleteBrands() {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	f.Brands = nil
	for _, p := range f.Posts {
		p.Brands = nil
	}
}

// RenameBrand gives a brand another name.
func (f *Shop) RenameBrand(name, other string) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	for i := range f.Brands {
		if f.Brands[i].Name == name {
			f.Brands[i].Name = other
		}
	}
}

// brandsOf is a product's brands as an answer shows them.
func (f *Shop) brandsOf(p *Post) []map[string]any {
	list := []map[string]any{}
	for _, b := range f.Brands {
		if slices.Contains(p.Brands, b.ID) {
			list = append(list, b.shown())
		}
	}
	return list
}

// brand writes the brands that a request names. One that does not exist is no error.
func (f *Shop) brand(p *Post, input map[string]any) {
	list, given := input["brands"].([]any)
	if !given {
		return
	}
	p.Brands = nil
	for _, one := range list {
		id, _ := one.(map[string]any)["id"].(float64)
		if slices.ContainsFunc(f.Brands, func(b Brand) bool { return b.ID == int64(id) }) {
			p.Brands = append(p.Brands, int64(id))
		}
	}
}

// seenBrand is the names of a product's brands.
func (f *Shop) seenBrand(p *Post) string {
	var names []string
	for _, b := range f.brandsOf(p) {
		names = append(names, html.UnescapeString(b["name"].(string)))
	}
	return strings.Join(names, ", ")
}
