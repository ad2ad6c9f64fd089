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

// An Attribute is one that a product has.
type Attribute struct {
	ID                 int64 // 0: the product's own, not a global one
	Position           int
	Key, Name          string
	Visible, Variation bool
	Options            []string
}

// Slug is pa_material for a global attribute, the name for one of the product's own.
func (a Attribute) Slug() string {
	if a.ID > 0 {
		return "pa_" + SlugOf(a.Name)
	}
	return a.Name
}

// readAttribute keeps the values as one text with bars between them. A global attribute goes by its id, whatever its
// name. One with neither id nor name is dropped, and so is a global one without a value.
func (f *Shop) readAttribute(in map[string]any) (Attribute, bool) {
	id, _ := in["id"].(float64)
	name, _ := in["name"].(string)
	position, _ := in["position"].(float64)
	a := Attribute{ID: int64(id), Name: optionOfProduct(name), Position: int(position)}
	if a.Key = SlugOf(a.Name); a.ID > 0 {
		a.Name = f.Globals[a.ID]
		a.Key = a.Slug()
	}
	a.Visible, _ = in["visible"].(bool)
	a.Variation, _ = in["variation"].(bool)
	options, _ := in["options"].([]any)
	var kept []string
	for _, option := range options {
		kept = append(kept, optionOfProduct(option.(string)))
	}
	for part := range strings.SplitSeq(strings.Join(kept, " | "), "|") {
		if part = strings.TrimSpace(part); part != "" {
			a.Options = append(a.Options, part)
		}
	}
	return a, a.Name != "" && (a.ID == 0 || len(a.Options) > 0)
}

// choose takes any value, listed by the product or not, and drops options that the product does not have.
func (f *Shop) choose(v *Post, list []any) {
	v.Options = map[string]string{}
	for _, one := range list {
		fields := one.(map[string]any)
		name, _ := fields["name"].(string)
		option, _ := fields["option"].(string)
		id, _ := fields["id"].(float64)
		key := SlugOf(optionOfProduct(name))
		for _, a := range f.Posts[v.Parent].Attributes {
			if a.Variation && (id > 0 && a.ID == int64(id) || id == 0 && a.Key == key) {
				if v.Options[a.Key] = keptOption(a, option); v.Options[a.Key] == "" {
					delete(v.Options, a.Key)
				}
			}
		}
	}
}

// keptOption does not always keep a value as optionOfProduct does, and no more than the slug of a global attribute's
// value that the product does not offer yet.
func keptOption(a Attribute, option string) string {
	option = strings.Join(strings.Fields(octets.ReplaceAllString(optionOfProduct(option), "")), " ")
	if a.ID > 0 && option != "" && !slices.Contains(a.Options, option) {
		return postSlug(option)
	}
	return option
}

const eanField = "global_unique_id"

var (
	scripts   = regexp.MustCompile(`(?i)</?(script|style|iframe|object|embed|form)[^>]*>`)
	ampersand = regexp.MustCompile(`&(?:#[0-9]{1,7};|#x[0-9a-fA-F]{1,6};|[a-zA-Z][a-zA-Z0-9]*;)?`)
	anyTag    = regexp.MustCompile(`<[^>]*>`)
	octets    = regexp.MustCompile(`%[a-fA-F0-9]{2}`)
	noSlug    = regexp.MustCompile(`[^a-z0-9\p{L}]+`)
	noDigit   = regexp.MustCompile(`[^0-9\-]`)
)

// filtered is what WordPress keeps of a name or a description: backslashes go, and the tags of a script but not its
// text; a bare & is escaped.
func filtered(text string) string {
	text = scripts.ReplaceAllString(strings.ReplaceAll(text, `\`, ""), "")
	return ampersand.ReplaceAllStringFunc(text, func(found string) string {
		if found == "&" {
			return "&amp;"
		}
		return found
	})
}

func optionOfProduct(value string) string {
	return strings.TrimSpace(anyTag.ReplaceAllString(strings.ReplaceAll(value, `\`, ""), ""))
}

func keptSKU(input map[string]any) string {
	sku, _ := input["sku"].(string)
	return strings.Join(strings.Fields(octets.ReplaceAllString(anyTag.ReplaceAllString(sku, ""), "")), " ")
}

func keptEAN(input map[string]any) string {
	ean, _ := input[eanField].(string)
	return noDigit.ReplaceAllString(ean, "")
}

// SlugOf is the key under which WooCommerce keeps an attribute.
func SlugOf(text string) string {
	text = strings.ToLower(html.UnescapeString(anyTag.ReplaceAllString(text, "")))
	return strings.Trim(noSlug.ReplaceAllString(text, "-"), "-")
}

// postSlug is a slug of WordPress: percent-encoded where it is not Latin, cut at 200 bytes.
func postSlug(text string) string {
	encoded := strings.ToLower(url.QueryEscape(SlugOf(text)))
	return strings.Trim(encoded[:min(len(encoded), 200)], "-")
}

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
