package publication

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// mostGrowth is how many times its length a text may become: a sign may need an entity of six
// characters.
const mostGrowth = 8

// A sanitizer makes a supplier's text fit to be shown in somebody's shop.
type sanitizer struct {
	policy *bluemonday.Policy
	bare   *bluemonday.Policy // leaves the text alone
}

func newSanitizer() *sanitizer {
	p := bluemonday.NewPolicy()
	p.AllowElements(
		"p", "br", "hr", "b", "strong", "i", "em", "u", "s", "small", "sub", "sup", "span", "div", "blockquote",
		"pre", "code", "ul", "ol", "li", "dl", "dt", "dd", "h2", "h3", "h4", "h5", "h6", "table", "thead", "tbody",
		"tfoot", "tr", "td", "th", "caption",
	)
	p.AllowAttrs("colspan", "rowspan").Matching(bluemonday.Integer).OnElements("td", "th")
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("http", "https", "mailto")
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnLinks(true)
	p.AllowRelativeURLs(false)
	return &sanitizer{policy: p, bare: bluemonday.StrictPolicy()}
}

// HTML keeps the formatting of a description and nothing that runs, loads or breaks out: scripts,
// handlers, frames, images and foreign addresses go; tags are balanced, since an open one would
// swallow the rest of a shop's page; square brackets become entities, since a shop may execute what
// stands between them as a shortcode. Plain text keeps its line breaks. What comes out goes in
// again unchanged.
func (s *sanitizer) HTML(text string) string {
	text = strings.TrimSpace(printable(text))
	if text == "" {
		return ""
	}
	if !hasTag(text) {
		text = strings.ReplaceAll(text, "\n", "<br>\n")
	}
	// The policy comes first: without attributes a parser repeats no more than three formatting
	// elements of a kind, and so a few kilobytes that are made for it do not become gigabytes. An
	// entity may name a control character, hence printable again.
	clean := text
	if !isSettled(text) {
		clean = s.settled(printable(s.policy.Sanitize(text)))
	}
	if len(clean) > mostGrowth*len(text) {
		clean = printable(s.bare.Sanitize(text))
	}
	if !hasTag(clean) {
		clean = strings.ReplaceAll(clean, "\n", " ") // a break between tags that are gone is no line break
	}
	return strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(clean, "[", "&#91;"), "]", "&#93;"))
}

// printable is text in valid UTF-8 with line feeds for line ends and no other control character
// than the tab.
func printable(text string) string {
	if isPrintableASCII(text) ||
		!strings.ContainsFunc(
			text, func(r rune) bool { return r == utf8.RuneError || unicode.IsControl(r) && r != '\n' && r != '\t' },
		) {
		return text // nearly all of it
	}
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.ToValidUTF8(text, ""))
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
}

func isPrintableASCII(text string) bool {
	for i := range len(text) {
		if c := text[i]; (c < ' ' || c > '~') && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// hasTag reports whether text holds anything that a parser would take for a tag or a comment; a
// lone < is a sign like any other.
func hasTag(text string) bool {
	for {
		_, after, found := strings.Cut(text, "<")
		if !found {
			return false
		}
		if after != "" &&
			(strings.ContainsRune("/!?", rune(after[0])) || 'a' <= after[0]|0x20 && after[0]|0x20 <= 'z') {
			return true
		}
		text = after
	}
}

// settled is clean HTML in the form in which a parser reads it back. One pass balances it, and
// writes what stood where it may not in a lawful place; seldom is there need of a second for what
// that uncovers.
func (s *sanitizer) settled(text string) string {
	if strings.IndexByte(text, '<') < 0 || isSettled(text) {
		return text // the policy has written the entities as a parser does
	}
	for range 8 {
		again := s.balance(text)
		if again == text {
			break
		}
		text = again
	}
	return text
}

// balance parses text as the content of a div and writes it out with every tag closed. What is
// nested deeper than a parser follows loses its tags.
func (s *sanitizer) balance(text string) string {
	nodes, err := html.ParseFragment(
		strings.NewReader(text), &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div},
	)
	if err != nil {
		return s.bare.Sanitize(text)
	}
	var b strings.Builder
	for _, n := range nodes {
		if err := html.Render(&b, n); err != nil {
			return s.bare.Sanitize(text)
		}
	}
	return b.String()
}

// Line is a plain text in one line without control characters, at most max runes long.
func (s *sanitizer) Line(text string, limit int) string {
	if len(text) <= limit && isLine(text) {
		return text
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), r == utf8.RuneError, isBidiControl(r), isInvisible(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) > limit {
		text = strings.TrimSpace(string([]rune(text)[:limit]))
	}
	return text
}

// isLine tells the texts that Line leaves alone, as far as that is seen at a glance: visible ASCII
// characters, and single spaces between them.
func isLine(text string) bool {
	before := byte(' ')
	for i := range len(text) {
		c := text[i]
		if c < ' ' || c > '~' || c == ' ' && before == ' ' {
			return false
		}
		before = c
	}
	return before != ' ' || text == ""
}

// isBidiControl tells the characters that turn the writing direction of what follows.
func isBidiControl(r rune) bool { return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 }

// isInvisible tells the characters that show nothing and join nothing, which come along when a SKU
// or a title is copied from a page. With one of them two SKUs that look alike differ, and a title
// may be there and not be seen.
func isInvisible(r rune) bool { return r == 0x200b || r == 0x2060 || r == 0xfeff || r == 0x00ad }
