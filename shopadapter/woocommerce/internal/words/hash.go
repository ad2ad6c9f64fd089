// Package words knows what WordPress and WooCommerce make of a text: they escape names, wrap and
// unwrap paragraphs, strip tags, and compare without regard to case. Each rule was seen on a real
// shop, WooCommerce 11.0.1.
//
// A text that is sent is brought into a form that the shop keeps as it is (EscapeTitle, Defuse,
// Value, CleanSKU). One that is read is hashed in a form that is the same before and after
// (HashTitle, HashDescription), so that the shop's own changes do not pass for the merchant's.
package words

import (
	stdhtml "html"
	"regexp"
	"strings"

	"golang.org/x/net/html"

	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// A text is hashed in a form that is the same before and after the shop changes it: WooCommerce
// escapes names, WordPress wraps and unwraps paragraphs, and its editor changes line ends, spaces
// and the like unasked.

// HashTitle is the hash of a name.
func HashTitle(name string) stamp.Hash { return stamp.HashText(Plain(name)) }

// Plain is a name as plain text, with single spaces.
func Plain(name string) string {
	return strings.Join(strings.Fields(stdhtml.UnescapeString(name)), " ")
}

// HashDescription is the hash of a text with markup, see essence.
func HashDescription(markup string) stamp.Hash {
	return stamp.HashText(strings.Join(essence(markup), " "))
}

// paragraph stands for a paragraph's edge.
const paragraph = "¶"

var blankLine = regexp.MustCompile(`\n\s*\n`)

// essence is the words of a description, its tags and its paragraphs. Of the attributes only the
// target of a link counts. Line breaks do not count, nor whether a paragraph is marked by a tag or
// by an empty line.
func essence(markup string) []string {
	e := &extract{}
	tokens := html.NewTokenizer(strings.NewReader(markup))
	for {
		switch tokens.Next() {
		case html.ErrorToken:
			return e.words
		case html.TextToken:
			e.text(string(tokens.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := tokens.TagName()
			tag := string(name)
			link := ""
			for more {
				var key, value []byte
				key, value, more = tokens.TagAttr()
				if tag == "a" && string(key) == "href" {
					link = string(value)
				}
			}
			e.open(tag, link)
		case html.EndTagToken:
			name, _ := tokens.TagName()
			e.shut(string(name))
		}
	}
}

// An extract collects the essence of a description.
type extract struct {
	words []string
	edge  bool // a paragraph ended
	block bool // what came last was a block: an edge behind it says nothing
}

func (e *extract) word(word string, block bool) {
	if e.edge && !block && !e.block && len(e.words) > 0 {
		e.words = append(e.words, paragraph)
	}
	e.edge, e.block = false, block
	e.words = append(e.words, word)
}

func (e *extract) text(raw string) {
	for i, part := range blankLine.Split(strings.ReplaceAll(raw, "\r\n", "\n"), -1) {
		e.edge = e.edge || i > 0
		for word := range strings.FieldsSeq(part) {
			e.word(word, false)
		}
	}
}

func (e *extract) open(tag, link string) {
	switch tag {
	case "p":
		e.edge = true
	case "br", "div", "span":
	case "b", "strong":
		e.word("<strong>", false)
	case "i", "em":
		e.word("<em>", false)
	case "a":
		e.word("<a "+strings.TrimSpace(link)+">", false)
	default:
		e.word("<"+tag+">", isBlock(tag))
	}
}

func (e *extract) shut(tag string) {
	switch tag {
	case "p":
		e.edge = true
	case "br", "div", "span":
	case "b", "strong":
		e.word("</strong>", false)
	case "i", "em":
		e.word("</em>", false)
	default:
		if !isBlock(tag) {
			e.word("</"+tag+">", false)
			return
		}
		// The end of a block is implied by what follows it as often as it is written.
		e.edge, e.block = false, true
	}
}

func isBlock(tag string) bool {
	switch tag {
	case "ul", "ol", "li", "dl", "dt", "dd", "h1", "h2", "h3", "h4", "h5", "h6", "hr",
		"table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption", "blockquote", "pre":
		return true
	}
	return false
}

// EscapeTitle is a plain text as the HTML that WooCommerce keeps in a name. A backslash would be
// taken for PHP's own and go.
func EscapeTitle(title string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `\`, "&#92;").Replace(title)
}

// Defuse keeps WordPress from executing what stands between square brackets as a shortcode, and a
// backslash from being dropped. The description is sanitised already.
func Defuse(description string) string {
	return strings.NewReplacer("[", "&#91;", "]", "&#93;", `\`, "&#92;").Replace(description)
}
