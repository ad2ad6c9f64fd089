package fakeshop

import (
	"cmp"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"

	slugs "github.com/pubsync/pubsync/shopadapter/internal/slug"
)

var markup = regexp.MustCompile(`<[^>]*>?`)

// createCategory makes a term. WordPress strips tags from its name and keeps it escaped. It refuses
// a second one of the name below the same parent, with the id of the first, and a parent that is
// not there; a slug that another parent's term has gets something put behind.
func (f *Shop) createCategory(input map[string]any) (int, any, *failure) {
	f.takes("category", 1)
	f.Mu.Lock()
	defer f.Mu.Unlock()
	if f.dead("before a category") {
		return 0, nil, critical()
	}
	name, _ := input["name"].(string)
	if f.Rewrite != nil {
		name = f.Rewrite(name)
	}
	name = html.EscapeString(html.UnescapeString(strings.TrimSpace(markup.ReplaceAllString(name, ""))))
	parent := 0
	if p, ok := input["parent"].(float64); ok {
		parent = int(p)
	}
	next, found, slug := 0, parent == 0, slugs.ASCII(html.UnescapeString(name), 200)
	if asked, _ := input["slug"].(string); asked != "" {
		slug = asked
	}
	for _, c := range f.Categories {
		next = max(next, c["id"].(int)+1)
		found = found || c["id"].(int) == parent
	}
	switch {
	case f.NoTerms:
		return 0, nil, fail(
			http.StatusForbidden, "woocommerce_rest_cannot_create", "Sorry, you are not allowed to create resources.",
		)
	case name == "":
		return 0, nil, fail(http.StatusBadRequest, "empty_term_name", "A name is required for this term.")
	case !found:
		return 0, nil, fail(http.StatusNotFound, "woocommerce_rest_term_invalid", "Parent resource does not exist.")
	}
	for _, c := range f.Categories {
		switch {
		case strings.EqualFold(c["name"].(string), name) && c["parent"].(int) == parent:
			e := fail(http.StatusBadRequest, "term_exists", "A term with the name provided already exists with this parent.")
			e.data = map[string]any{"resource_id": c["id"]}
			return 0, nil, e
		case c["slug"] == slug:
			slug = f.uniqueSlug(slug, parent)
		}
	}
	made := map[string]any{"id": next, "name": name, "slug": slug, "parent": parent}
	f.Categories = append(f.Categories, made)
	if f.dead("after a category") {
		return 0, nil, critical()
	}
	return http.StatusCreated, made, nil
}

// uniqueSlug is a slug with that of the parent put behind it, or a number.
func (f *Shop) uniqueSlug(slug string, parent int) string {
	taken := func(slug string) bool {
		return slices.ContainsFunc(f.Categories, func(c map[string]any) bool { return c["slug"] == slug })
	}
	for _, c := range f.Categories {
		if longer := slug + "-" + c["slug"].(string); c["id"] == parent && !taken(longer) {
			return longer
		}
	}
	n := 2
	for taken(fmt.Sprint(slug, "-", n)) {
		n++
	}
	return fmt.Sprint(slug, "-", n)
}

// RenameCategory gives a category another name, as "quick edit" does; the slug stays unless another
// is typed.
func (f *Shop) RenameCategory(name, other, slug string) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	for _, c := range f.Categories {
		if c["name"] == name {
			c["name"], c["slug"] = other, cmp.Or(slug, c["slug"].(string))
			return
		}
	}
}

// DeleteCategory deletes a category. Those below it move up, and a product that has no other is
// uncategorized.
func (f *Shop) DeleteCategory(name string) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	i := slices.IndexFunc(f.Categories, func(c map[string]any) bool { return c["name"] == name })
	id, parent := f.Categories[i]["id"].(int), f.Categories[i]["parent"]
	f.Categories = slices.Delete(slices.Clone(f.Categories), i, i+1)
	for _, c := range f.Categories {
		if c["parent"] == id {
			c["parent"] = parent
		}
	}
	for _, p := range f.Posts {
		if !slices.Contains(p.Categories, int64(id)) {
			continue
		}
		p.Categories = slices.DeleteFunc(slices.Clone(p.Categories), func(c int64) bool { return c == int64(id) })
		if len(p.Categories) == 0 {
			p.Categories = []int64{15}
		}
	}
}

// Branches is the paths of the shop's categories beyond those that it begins with.
func (f *Shop) Branches() []string {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	var paths []string
	for _, c := range f.Categories[6:] {
		var names []string
		for at := c; at != nil; {
			names = append(names, at["name"].(string))
			i := slices.IndexFunc(f.Categories, func(o map[string]any) bool { return o["id"] == at["parent"] })
			if at = nil; i >= 0 {
				at = f.Categories[i]
			}
		}
		slices.Reverse(names)
		paths = append(paths, strings.Join(names, " > "))
	}
	return paths
}
