package fakeshop

import (
	"cmp"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Terms are categories and brands: maps of id, name (escaped, as WordPress keeps it), slug and parent.

// uncategorized is the category of a product without any other.
const uncategorized = 15

var markup = regexp.MustCompile(`<[^>]*>?`)

func (f *Shop) listOf(route string) *[]map[string]any {
	if strings.HasSuffix(route, "/brands") {
		return &f.Brands
	}
	return &f.Categories
}

// createTerm strips tags from the name. It refuses a second one of the name below the same parent, with the id of
// the first.
func (f *Shop) createTerm(list *[]map[string]any, input map[string]any) (int, any, *failure) {
	f.takes("category")
	f.Mu.Lock()
	defer f.Mu.Unlock()
	name, _ := input["name"].(string)
	name = html.EscapeString(html.UnescapeString(strings.TrimSpace(markup.ReplaceAllString(name, ""))))
	parent, _ := input["parent"].(float64)
	slug, _ := input["slug"].(string)
	same := slices.IndexFunc(*list, func(t map[string]any) bool {
		return strings.EqualFold(t["name"].(string), name) && t["parent"] == int(parent)
	})
	if same >= 0 {
		return 0, nil, fail(400, "term_exists", "A term with the name provided already exists with this parent.").
			with((*list)[same]["id"])
	}
	made := f.AddTerm(list, name, cmp.Or(slug, postSlug(html.UnescapeString(name))), int(parent))
	if f.dead("after a category") {
		return 0, nil, critical()
	}
	return http.StatusCreated, made, nil
}

// AddTerm makes a term. Ids are not used twice.
func (f *Shop) AddTerm(list *[]map[string]any, name, slug string, parent int) map[string]any {
	for _, t := range *list {
		f.lastTerm = max(f.lastTerm, t["id"].(int))
	}
	f.lastTerm++
	made := map[string]any{"id": f.lastTerm, "name": name, "slug": slug, "parent": parent}
	*list = append(*list, made)
	return made
}

// applyTerms ignores a term that does not exist.
func (f *Shop) applyTerms(to *[]int64, known []map[string]any, given any) {
	list, ok := given.([]any)
	if !ok {
		return
	}
	*to = nil
	for _, one := range list {
		id, _ := one.(map[string]any)["id"].(float64)
		if slices.ContainsFunc(known, func(t map[string]any) bool { return t["id"] == int(id) }) {
			*to = append(*to, int64(id))
		}
	}
}

// ShownTerms returns terms as an answer shows them.
func ShownTerms(known []map[string]any, ids []int64) []map[string]any {
	list := []map[string]any{}
	for _, t := range known {
		if slices.Contains(ids, int64(t["id"].(int))) {
			list = append(list, only(t, "id", "name", "slug"))
		}
	}
	return list
}

type Attachment struct{ Source, File, Name string }

// NotAllowed is what WordPress says of a file that is no picture, or of a type that it does not take.
const NotAllowed = "Invalid image: Sorry, you are not allowed to upload this file type."

// download loads each address anew, and keeps no picture if one is bad. Where PHP dies over one, those before it
// stay.
func (f *Shop) download(input map[string]any) (ids []int64, e *failure) {
	items, ok := input["images"].([]any)
	if !ok {
		return nil, nil
	}
	ids = []int64{}
	var loaded []int64
	for _, item := range items {
		m := item.(map[string]any)
		src, _ := m["src"].(string)
		name, _ := m["name"].(string)
		known, _ := m["id"].(float64)
		id := int64(known)
		if id == 0 {
			if id, e = f.load(src, name); id > 0 {
				loaded = append(loaded, id)
			}
		}
		f.Mu.Lock()
		if e == nil && id > 0 && f.Media[id] == nil {
			e = fail(400, "woocommerce_product_invalid_image_id", fmt.Sprintf("#%d is an invalid image ID.", id))
		}
		if e != nil && e.status == 400 {
			for _, id := range loaded {
				delete(f.Media, id)
				f.Loaded--
			}
		}
		f.Mu.Unlock()
		if e != nil {
			return nil, e
		}
		if id > 0 {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// load returns the id 0 for a picture that a plugin has left out.
func (f *Shop) load(src, name string) (id int64, e *failure) {
	u, err := url.Parse(src)
	types := []string{".jpg", ".jpeg", ".png", ".webp", ".gif"}
	if err != nil || !slices.Contains(types, strings.ToLower(path.Ext(u.Path))) {
		return 0, fail(400, faultUpload, NotAllowed)
	}
	time.Sleep(f.Slow[src])
	f.Mu.Lock()
	defer f.Mu.Unlock()
	why := ""
	if f.BadPicture != nil {
		why = f.BadPicture(src)
	}
	switch {
	case why != "" && f.Suppresses:
		return 0, nil
	case strings.HasPrefix(why, "Invalid image: "): // the text does not say which
		return 0, fail(400, faultUpload, why)
	case why != "":
		return 0, fail(400, faultUpload, "Error getting remote image "+src+". Error: "+why)
	}
	f.NextPost++
	f.Loaded++
	file, ext := path.Base(u.Path), path.Ext(u.Path)
	a := &Attachment{Source: src, File: file, Name: cmp.Or(name, file)}
	all := slices.Collect(maps.Values(f.Media))
	for n := 1; slices.ContainsFunc(all, func(o *Attachment) bool { return o.File == a.File }); n++ { // red-1.jpg
		a.File = fmt.Sprint(strings.TrimSuffix(file, ext), "-", n, ext)
	}
	f.Media[f.NextPost] = a
	if f.Kills == nil || !f.Kills(src) {
		return f.NextPost, nil
	}
	// when PHP dies, the row has the file's name: the one asked for comes later
	a.Name = a.File
	return 0, critical()
}
