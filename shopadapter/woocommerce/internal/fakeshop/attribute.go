package fakeshop

import (
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
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
