package fakeshop

import (
	"cmp"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	slugs "github.com/pubsync/pubsync/shopadapter/internal/slug"
)

// Categories and brands are terms: maps of id, name (escaped, as WordPress keeps it), slug and
// parent.

// uncategorized is the id of the category that a product without any is in.
const uncategorized = 15

var markup = regexp.MustCompile(`<[^>]*>?`)

func (f *Shop) listOf(route string) *[]map[string]any {
	if strings.HasSuffix(route, "/brands") {
		return &f.Brands
	}
	return &f.Categories
}

// createTerm makes a term. WordPress strips tags from its name and keeps it escaped. It refuses a
// second one of the name below the same parent, with the id of the first, and a parent that is not
// there; a slug that another parent's term has gets something put behind.
func (f *Shop) createTerm(list *[]map[string]any, input map[string]any) (int, any, *failure) {
	f.takes("category")
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
	number, _ := input["parent"].(float64)
	parent := int(number)
	asked, _ := input["slug"].(string)
	slug := cmp.Or(asked, slugs.ASCII(html.UnescapeString(name), 200))
	has := func(is func(map[string]any) bool) int { return slices.IndexFunc(*list, is) }
	taken := func(slug string) bool { return has(func(t map[string]any) bool { return t["slug"] == slug }) >= 0 }
	above := has(func(t map[string]any) bool { return t["id"] == parent })
	same := has(func(t map[string]any) bool {
		return strings.EqualFold(t["name"].(string), name) && t["parent"] == parent
	})
	switch {
	case f.NoTerms:
		return 0, nil, fail(403, "woocommerce_rest_cannot_create", "Sorry, you are not allowed to create resources.")
	case name == "":
		return 0, nil, fail(400, "empty_term_name", "A name is required for this term.")
	case parent > 0 && above < 0:
		return 0, nil, fail(404, "woocommerce_rest_term_invalid", "Parent resource does not exist.")
	case same >= 0:
		return 0, nil, fail(400, "term_exists", "A term with the name provided already exists with this parent.").
			with((*list)[same]["id"])
	}
	if taken(slug) && above >= 0 {
		slug += "-" + (*list)[above]["slug"].(string)
	}
	for n, own := 2, slug; taken(slug); n++ {
		slug = fmt.Sprint(own, "-", n)
	}
	made := f.AddTerm(list, name, slug, parent)
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

// applyTerms writes the terms that a request names. One that does not exist is no error.
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

// ShownTerms are a product's terms as an answer shows them.
func ShownTerms(known []map[string]any, ids []int64) []map[string]any {
	list := []map[string]any{}
	for _, t := range known {
		if slices.Contains(ids, int64(t["id"].(int))) {
			list = append(list, only(t, "id", "name", "slug"))
		}
	}
	return list
}

// An Attachment is a picture in the media library.
type Attachment struct{ Source, File, Name string }

// NotAllowed is what WordPress says of a file that is no picture, and of one of a type that it does
// not take.
const NotAllowed = "Invalid image: Sorry, you are not allowed to upload this file type."

// download takes in the pictures of a request: each address anew, also one that was loaded before,
// and none if one of them is bad. A picture on which PHP dies is another matter: those before it
// stay.
func (f *Shop) download(input map[string]any) (ids []int64, e *failure) {
	items, ok := input["images"].([]any)
	if !ok {
		return nil, nil
	}
	ids = []int64{}
	var loaded []int64
	defer func() {
		if e == nil || e.status >= 500 || e.status == f.KilledAs {
			return
		}
		f.Mu.Lock()
		defer f.Mu.Unlock()
		for _, id := range loaded {
			delete(f.Media, id)
			f.Loaded--
		}
	}()
	for _, item := range items {
		m := item.(map[string]any)
		src, _ := m["src"].(string)
		name, _ := m["name"].(string)
		if id, _ := m["id"].(float64); id > 0 {
			f.Mu.Lock()
			known := f.Media[int64(id)] != nil
			f.Mu.Unlock()
			if !known {
				return nil, fail(400, "woocommerce_product_invalid_image_id", fmt.Sprintf("#%d is an invalid image ID.", int64(id)))
			}
			ids = append(ids, int64(id))
			continue
		}
		id, e := f.load(src, name)
		if e != nil {
			return nil, e
		}
		if id > 0 {
			ids, loaded = append(ids, id), append(loaded, id)
		}
	}
	return ids, nil
}

// load takes in one picture. The id is 0 for one that a plugin has left out.
func (f *Shop) load(src, name string) (id int64, e *failure) {
	u, err := url.Parse(src)
	if err != nil ||
		!slices.Contains([]string{".jpg", ".jpeg", ".png", ".webp", ".gif"}, strings.ToLower(path.Ext(u.Path))) {
		return 0, fail(400, faultUpload, NotAllowed)
	}
	f.takes("picture")
	if time.Sleep(f.Slow[src]); f.Silent[src] {
		time.Sleep(300 * time.Second) // as long as PHP may wait
		return 0, fail(400, faultUpload, "Error getting remote image "+src+". Error: cURL error 28: Operation timed out")
	}
	f.Mu.Lock()
	defer f.Mu.Unlock()
	why := ""
	if f.BadPicture != nil {
		why = f.BadPicture(src)
	}
	switch {
	case why != "" && f.Suppresses:
		return 0, nil
	case strings.HasPrefix(why, "Invalid image: "): // it was loaded, and the text does not say which it is
		return 0, fail(400, faultUpload, why)
	case why != "":
		return 0, fail(400, faultUpload, "Error getting remote image "+src+". Error: "+why)
	}
	f.NextPost++
	f.Loaded++
	file := path.Base(u.Path)
	a := &Attachment{Source: src, Name: name}
	for n := 1; ; n++ { // red.jpg becomes red-1.jpg
		if a.File = file; !f.hasFile(file) {
			break
		}
		ext := path.Ext(u.Path)
		file = fmt.Sprint(strings.TrimSuffix(path.Base(u.Path), ext), "-", n, ext)
	}
	f.Media[f.NextPost] = a
	// PHP that dies leaves the row, with the file's name: the one that was asked for comes later
	kills := f.Kills != nil && f.Kills(src)
	if name == "" || kills {
		a.Name = a.File
	}
	switch {
	case kills && f.KilledAs != 0:
		return 0, fail(f.KilledAs, "", "") // the web server's answer, since PHP gives none
	case kills:
		return 0, critical()
	}
	return f.NextPost, nil
}

func (f *Shop) hasFile(name string) bool {
	for _, a := range f.Media {
		if a.File == name {
			return true
		}
	}
	return false
}
