package fakeshop

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
)

var (
	scripts = regexp.MustCompile(`(?i)</?(script|style|iframe|object|embed|form)[^>]*>`)
	entity  = regexp.MustCompile(`&(#[0-9]{1,7}|#x[0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]*);`)
	anyTag  = regexp.MustCompile(`<[^>]*>`)
	octets  = regexp.MustCompile(`%[a-fA-F0-9]{2}`)
	noSlug  = regexp.MustCompile(`[^a-z0-9\p{L}]+`)
)

// filtered is what WordPress keeps of a name or a description: backslashes go, as PHP's own; the
// tags of a script go and its text stays; what is no entity is escaped.
func filtered(text string) string {
	text = strings.ReplaceAll(text, `\`, "")
	text = scripts.ReplaceAllString(text, "")
	var b strings.Builder
	for text != "" {
		i := strings.IndexByte(text, '&')
		if i < 0 {
			b.WriteString(text)
			break
		}
		b.WriteString(text[:i])
		text = text[i:]
		if found := entity.FindString(text); strings.HasPrefix(text, found) && found != "" {
			b.WriteString(found)
			text = text[len(found):]
		} else {
			b.WriteString("&amp;")
			text = text[1:]
		}
	}
	return b.String()
}

// optionOfProduct is what WooCommerce keeps of the value of an attribute of a product.
func optionOfProduct(value string) string {
	return strings.TrimSpace(anyTag.ReplaceAllString(strings.ReplaceAll(value, `\`, ""), ""))
}

// optionOfVariation is what it keeps of the same value on a variation, which is not always the
// same.
func optionOfVariation(value string) string {
	value = octets.ReplaceAllString(optionOfProduct(value), "")
	return strings.Join(strings.Fields(value), " ")
}

// keptSKU is what it keeps of a SKU: a line of text.
func keptSKU(input map[string]any) string {
	sku, _ := input["sku"].(string)
	return strings.Join(strings.Fields(octets.ReplaceAllString(anyTag.ReplaceAllString(sku, ""), "")), " ")
}

// attributeKey is under what WooCommerce keeps an attribute.
func attributeKey(name string) string { return slugOf(name) }

func slugOf(text string) string {
	return strings.Trim(
		noSlug.ReplaceAllString(strings.ToLower(html.UnescapeString(anyTag.ReplaceAllString(text, ""))), "-"), "-",
	)
}

// postSlug is what WordPress makes of a slug: accents go, what is not Latin is percent-encoded, and
// it ends after 200 bytes.
func postSlug(text string) string {
	text = strings.NewReplacer("ä", "a", "á", "a", "à", "a", "ö", "o", "ó", "o", "ü", "u", "é", "e", "è", "e", "ë", "e",
		"ñ", "n", "ß", "ss").
		Replace(slugOf(text))
	var b strings.Builder
	for _, r := range text {
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

func (f *Shop) freeSlug(slug string, own int64) string {
	for n := 1; ; n++ {
		candidate := slug
		if n > 1 {
			candidate = fmt.Sprintf("%s-%d", slug, n)
		}
		taken := false
		for _, p := range f.Posts {
			taken = taken || p.ID != own && p.Slug == candidate
		}
		if !taken {
			return candidate
		}
	}
}
