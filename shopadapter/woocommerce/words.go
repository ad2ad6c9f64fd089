package woocommerce

import (
	"cmp"
	"html"
	"net/url"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pubsync/pubsync/shopadapter"
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

// hashDescription is the hash of the words of a description, its tags and its paragraphs. Of the
// attributes only the target of a link counts. Line breaks do not count, nor whether a paragraph is
// marked by a tag or by an empty line, nor one beside a list, a heading or a table.
func hashDescription(markup string) kit.Hash {
	text := paragraph.ReplaceAllString(strings.ReplaceAll(markup, "\r\n", "\n"), " ¶ ")
	text = strings.Join(strings.Fields(html.UnescapeString(anyTag.ReplaceAllStringFunc(text, essence))), " ")
	text = strings.ReplaceAll(besideBlock.ReplaceAllString(text, "$1$2"), "▮▮", "")
	return kit.HashText(strings.Trim(strings.Join(strings.Fields(text), " "), "¶ "))
}

var (
	paragraph = regexp.MustCompile(`(?i)</?p(?:\s[^>]*)?>|\n[ \t]*\n`)
	anyTag    = regexp.MustCompile(`(?s)<!--.*?-->|</?([a-zA-Z][a-zA-Z0-9]*)([^>]*)>`)
	target    = regexp.MustCompile(`(?i)\shref\s*=\s*(?:"([^"]*)"|'([^']*)')`)
	// besideBlock is paragraphs in a row, of which one counts, or beside the edge of a block.
	besideBlock = regexp.MustCompile(`(?:¶ )*(▮[^▮]*▮)(?: ¶)*|(¶)(?: ¶)+`)
)

// essence is what counts of a tag. The edges of a block stand between ▮; the end of one is implied
// by what follows as often as it is written.
func essence(tag string) string {
	found := anyTag.FindStringSubmatch(tag)
	name, closes := strings.ToLower(found[1]), tag[1] == '/'
	switch name {
	case "", "br", "div", "span":
		return " "
	case "b":
		name = "strong"
	case "i":
		name = "em"
	}
	switch {
	case blocks[name] && closes:
		return " ▮▮ "
	case blocks[name]:
		return " ▮" + name + "▮ "
	case closes:
		return " </" + name + "> "
	}
	link := ""
	if href := target.FindStringSubmatch(found[2]); name == "a" && href != nil {
		link = " " + strings.TrimSpace(href[1]+href[2])
	}
	return " <" + name + link + "> "
}

var blocks = map[string]bool{
	"ul": true, "ol": true, "li": true, "dl": true, "dt": true, "dd": true, "h1": true, "h2": true, "h3": true,
	"h4": true, "h5": true, "h6": true, "hr": true, "table": true, "thead": true, "tbody": true, "tfoot": true,
	"tr": true, "td": true, "th": true, "caption": true, "blockquote": true, "pre": true,
}

// withoutTags is text with what looks like a tag taken out. A lone < stays.
func withoutTags(text string) string { return looksLikeTag.ReplaceAllString(text, "") }

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

const (
	maxSKU       = 100 // the longest SKU that WooCommerce keeps whole in its lookup table, in characters
	maxSlug      = 60  // characters
	maxSlugBytes = 180 // keeps the end within the 200 bytes that WordPress writes of a slug, percent-encoded
)

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
		again := withoutTags(octet.ReplaceAllString(sku, ""))
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

// slug is the product's address: the title's words, and the publication's own end.
func slug(title string, id shopadapter.PublicationID) string {
	var kept []string
	length, bytes := 0, 0
	for word := range strings.SplitSeq(fold(title), "_") {
		length += utf8.RuneCountInString(word) + 1
		if bytes += len(url.QueryEscape(word)) + 1; length > maxSlug || bytes > maxSlugBytes {
			break
		}
		if word != "" {
			kept = append(kept, word)
		}
	}
	return strings.TrimPrefix(strings.Join(kept, "-")+slugEnd(id), "-")
}
