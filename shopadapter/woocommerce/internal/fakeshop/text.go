package fakeshop

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
)

const eanField = "global_unique_id"

var (
	scripts   = regexp.MustCompile(`(?i)</?(script|style|iframe|object|embed|form)[^>]*>`)
	ampersand = regexp.MustCompile(`&(?:#[0-9]{1,7};|#x[0-9a-fA-F]{1,6};|[a-zA-Z][a-zA-Z0-9]*;)?`)
	anyTag    = regexp.MustCompile(`<[^>]*>`)
	octets    = regexp.MustCompile(`%[a-fA-F0-9]{2}`)
	noSlug    = regexp.MustCompile(`[^a-z0-9\p{L}]+`)
	noDigit   = regexp.MustCompile(`[^0-9\-]`)
)

// filtered is what WordPress keeps of a name or a description: backslashes go, as PHP's own; the
// tags of a script go and its text stays; what is no entity is escaped.
func filtered(text string) string {
	text = scripts.ReplaceAllString(strings.ReplaceAll(text, `\`, ""), "")
	return ampersand.ReplaceAllStringFunc(text, func(found string) string {
		if found == "&" {
			return "&amp;"
		}
		return found
	})
}

// optionOfProduct is what WooCommerce keeps of the value of an attribute of a product.
func optionOfProduct(value string) string {
	return strings.TrimSpace(anyTag.ReplaceAllString(strings.ReplaceAll(value, `\`, ""), ""))
}

// optionOfVariation is what it keeps of the same value on a variation, which is not always the
// same.
func optionOfVariation(value string) string {
	return strings.Join(strings.Fields(octets.ReplaceAllString(optionOfProduct(value), "")), " ")
}

// keptSKU is what it keeps of a SKU: a line of text.
func keptSKU(input map[string]any) string {
	sku, _ := input["sku"].(string)
	return strings.Join(strings.Fields(octets.ReplaceAllString(anyTag.ReplaceAllString(sku, ""), "")), " ")
}

// keptEAN is an EAN as WooCommerce keeps it: everything but digits and hyphens is dropped.
func keptEAN(input map[string]any) string {
	ean, _ := input[eanField].(string)
	return noDigit.ReplaceAllString(ean, "")
}

// SlugOf is under what WooCommerce keeps an attribute.
func SlugOf(text string) string {
	text = strings.ToLower(html.UnescapeString(anyTag.ReplaceAllString(text, "")))
	return strings.Trim(noSlug.ReplaceAllString(text, "-"), "-")
}

var accents = strings.NewReplacer(
	"ä", "a", "á", "a", "à", "a", "ö", "o", "ó", "o", "ü", "u", "é", "e", "è", "e", "ë", "e", "ñ", "n", "ß", "ss",
)

// postSlug is what WordPress makes of a slug: accents go, what is not Latin is percent-encoded, and
// it ends after 200 bytes.
func postSlug(text string) string {
	var b strings.Builder
	for _, r := range accents.Replace(SlugOf(text)) {
		encoded := string(r)
		if r > 127 {
			encoded = strings.ToLower(url.QueryEscape(encoded))
		}
		if b.Len()+len(encoded) > 200 {
			break
		}
		b.WriteString(encoded)
	}
	return strings.Trim(b.String(), "-")
}

// FreeSlug is a slug that no other product has: one that is taken gets a number behind.
func (f *Shop) FreeSlug(slug string, own int64) string {
	for n, candidate := 2, slug; ; n++ {
		taken := false
		for _, p := range f.Posts {
			taken = taken || p.ID != own && p.Slug == candidate
		}
		if !taken {
			return candidate
		}
		candidate = fmt.Sprintf("%s-%d", slug, n)
	}
}

// paragraphs is a description as it is shown, with a tag around what stands between empty lines.
func paragraphs(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	if strings.HasPrefix(text, "<p>") {
		return text + "\n"
	}
	return "<p>" + strings.ReplaceAll(text, "\n\n", "</p>\n<p>") + "</p>\n"
}
