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

// What WordPress and WooCommerce make of a text: they escape names, wrap and unwrap paragraphs,
// strip tags, and compare without regard to case. A text that is sent is brought into a form that
// the shop keeps as it is. One that is read is hashed in a form that is the same before and after,
// so that the shop's own changes do not pass for the merchant's.

func hashTitle(name string) kit.Hash { return kit.HashText(plain(name)) }

// plain is a name as plain text, with single spaces.
func plain(name string) string {
	return strings.Join(strings.Fields(html.UnescapeString(name)), " ")
}

// escapeTitle is a plain text as the HTML that WooCommerce keeps in a name. A backslash would be
// taken for PHP's own and go.
func escapeTitle(title string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `\`, "&#92;").Replace(title)
}

// defuse keeps WordPress from executing what stands between square brackets as a shortcode, and a
// backslash from being dropped. The description is sanitised already.
func defuse(description string) string {
	return strings.NewReplacer("[", "&#91;", "]", "&#93;", `\`, "&#92;").Replace(description)
}

// hashDescription is the hash of the words of a description and of the tags around them. Paragraphs
// and line breaks, which editors move, do not count, nor the ends of blocks, which what follows
// implies. Of the attributes only the target of a link counts.
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

// octet is what WordPress takes for a percent-encoded character and drops from a text: the
// beginning of "50%Baumwolle".
var octet = regexp.MustCompile(`%([0-9a-fA-F]{2})`)

// optionValue is an option's value in a form that WooCommerce keeps the same on the product and on
// the variation: the bar separates values there, and tags and backslashes are dropped. A difference
// between the two leaves a variation that no customer can choose.
func optionValue(value string) string {
	value = strings.NewReplacer("|", "/", "<", "‹", ">", "›", `\`, "/").Replace(value)
	value = octet.ReplaceAllString(value, "% $1")
	return cmp.Or(strings.Join(strings.Fields(value), " "), "-")
}

// fold is the words of a name, or of a path such as Garden/Tools, in lower case, joined by underscores
// as the marketplace joins those of a path.
func fold(name string) string {
	name = strings.ToLower(strings.ReplaceAll(html.UnescapeString(name), "&", " and "))
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}), "_")
}

// maxSKU is the longest SKU that WooCommerce keeps whole in its lookup table, in characters.
const maxSKU = 100

// keySKU is the SKU of a product whose variants have SKUs of their own, or of a variant without
// one. WooCommerce compares SKUs without regard to case, splits look-ups at commas and trims.
func keySKU(id shopadapter.PublicationID) string {
	if sku := "pubsync-" + kit.Key(id); len(sku) <= maxSKU {
		return sku
	}
	return "pubsync." + kit.Digest(string(id), 16)
}

// cleanSKU is a SKU in the form in which WooCommerce keeps it, as a line of text: no tags, no
// percent-encoded characters, single spaces.
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

// encodeID is an id as a note holds it, percent-encoded: a backslash would not survive every
// plugin.
func encodeID(id string) string { return url.QueryEscape(id) }

// slugEnd ends the slug of a publication's product: a few characters of its own. A slug that is
// unique from the start spares WordPress the search for one that is free, and tells a product that
// PHP died over from the merchant's.
func slugEnd(id shopadapter.PublicationID) string { return "-" + kit.Digest(string(id), 3) }

// slugOf is the product's address: the title's words, and the publication's own end. WordPress cuts a
// slug at 200 bytes, percent-encoded.
func slugOf(title string, id shopadapter.PublicationID) string {
	const most, mostBytes = 60, 180
	words := slug.Of(title, most)
	if len(url.QueryEscape(words)) > mostBytes {
		words = slug.ASCII(title, most)
	}
	return strings.TrimPrefix(words+slugEnd(id), "-")
}
