package woocommerce

import (
	"cmp"
	"html"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/slug"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// WordPress and WooCommerce escape names, wrap and unwrap paragraphs, strip tags, and ignore case. So a text is sent
// in a form that the shop keeps. It is hashed in one that the shop's own changes leave alone, so that they do not
// pass for the merchant's.

func hashTitle(name string) kit.Hash { return kit.HashText(plain(name)) }

func plain(name string) string {
	return strings.Join(strings.Fields(html.UnescapeString(name)), " ")
}

// escapeTitle returns HTML that WooCommerce keeps in a name. PHP drops a bare backslash.
func escapeTitle(title string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `\`, "&#92;").Replace(title)
}

// defuse keeps WordPress from executing text in square brackets as a shortcode. Descriptions are sanitised already.
func defuse(description string) string {
	return strings.NewReplacer("[", "&#91;", "]", "&#93;", `\`, "&#92;").Replace(description)
}

// hashDescription hashes words and the tags around them. Paragraphs and line breaks, which editors move, do not
// count, nor do ends of blocks, nor attributes but the target of a link.
func hashDescription(markup string) kit.Hash {
	text := anyTag.ReplaceAllStringFunc(markup, func(tag string) string {
		found := anyTag.FindStringSubmatch(tag)
		name := strings.ToLower(found[1])
		switch closes := tag[1] == '/'; {
		case layout[name], closes && !inline[name]:
			return " "
		case closes:
			return " </" + cmp.Or(shorter[name], name) + "> "
		}
		if href := target.FindStringSubmatch(found[2]); name == "a" && href != nil {
			name += " " + strings.TrimSpace(href[1]+href[2])
		}
		return " <" + cmp.Or(shorter[name], name) + "> "
	})
	return kit.HashText(plain(text))
}

var (
	anyTag  = regexp.MustCompile(`(?s)<!--.*?-->|</?([a-zA-Z][a-zA-Z0-9]*)([^>]*)>`)
	target  = regexp.MustCompile(`(?i)\shref\s*=\s*(?:"([^"]*)"|'([^']*)')`)
	layout  = map[string]bool{"": true, "p": true, "br": true, "div": true, "span": true, "tbody": true}
	inline  = map[string]bool{"a": true, "b": true, "strong": true, "i": true, "em": true, "u": true, "s": true}
	shorter = map[string]string{"strong": "b", "em": "i"}
)

// looksLikeTag leaves a lone < alone.
var looksLikeTag = regexp.MustCompile(`<[/!\pL][^>]*>`)

// octet is what WordPress takes for a percent-encoded character and drops, such as %Ba in 50%Baumwolle.
var octet = regexp.MustCompile(`%([0-9a-fA-F]{2})`)

// optionValue returns a value that WooCommerce keeps the same on product and variation: a bar separates values, and
// tags and backslashes go. Where the two differ, no customer can choose the variation.
func optionValue(value string) string {
	value = strings.NewReplacer("|", "/", "<", "‹", ">", "›", `\`, "/").Replace(value)
	value = octet.ReplaceAllString(value, "% $1")
	return cmp.Or(strings.Join(strings.Fields(value), " "), "-")
}

// fold joins the words of a name or a path in lower case as the marketplace's paths do.
func fold(name string) string {
	name = strings.ToLower(strings.ReplaceAll(html.UnescapeString(name), "&", " and "))
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}), "_")
}

// maxSKU is how many characters of a SKU WooCommerce keeps in its lookup table.
const maxSKU = 100

// keySKU is the SKU of a product with variations, or of a variant without one. WooCommerce trims SKUs.
func keySKU(id shopadapter.PublicationID) string {
	if sku := "pubsync-" + kit.Key(id); len(sku) <= maxSKU {
		return sku
	}
	return "pubsync." + kit.Digest(string(id), 16)
}

// cleanSKU returns a SKU as WooCommerce keeps it, without tags and percent-encoded characters.
func cleanSKU(sku string) string {
	for {
		again := looksLikeTag.ReplaceAllString(octet.ReplaceAllString(sku, ""), "")
		if again == sku {
			return strings.Join(strings.Fields(sku), " ")
		}
		sku = again
	}
}

func sameSKU(a, b string) bool {
	return a != "" && strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

// encodeID percent-encodes an id for a note: a backslash would not survive every plugin.
func encodeID(id string) string { return url.QueryEscape(id) }

// slugEnd makes a slug unique, which spares WordPress the search for a free one. It marks as ours a product that PHP
// died over.
func slugEnd(id shopadapter.PublicationID) string { return "-" + kit.Digest(string(id), 3) }

// slugOf allows for WordPress, which cuts a slug at 200 bytes, percent-encoded.
func slugOf(title string, id shopadapter.PublicationID) string {
	const most, mostBytes = 60, 180
	words := slug.Of(title, most)
	if len(url.QueryEscape(words)) > mostBytes {
		words = slug.ASCII(title, most)
	}
	return strings.TrimPrefix(words+slugEnd(id), "-")
}
