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
	bare   *bluemonday.Policy // removes all tags
}

// sharedSanitizer is one for all accounts of a process: it has no settings and keeps nothing.
var sharedSanitizer = newSanitizer()

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

// HTML keeps the formatting of a description, and removes what runs, loads or breaks out: scripts,
// handlers, frames, images and foreign addresses. It balances tags, since an open one would spoil
// the page behind it. Square brackets become entities, since a shop may execute the text between
// them as a shortcode. Plain text keeps its line breaks. HTML leaves its own output unchanged.
func (s *sanitizer) HTML(text string) string {
	text = strings.TrimSpace(printable(text))
	if text == "" {
		return ""
	}
	if !hasTag(text) {
		text = strings.ReplaceAll(text, "\n", "<br>\n")
	}
	// The policy comes first. Without attributes a parser repeats no more than three formatting
	// elements of a kind, so a few malicious kilobytes do not become gigabytes. An entity may name
	// a control character, hence printable again.
	clean := text
	if !isStable(text) {
		clean = s.stable(printable(s.policy.Sanitize(text)))
	}
	if len(clean) > mostGrowth*len(text) {
		clean = printable(s.bare.Sanitize(text))
	}
	if !hasTag(clean) {
		clean = strings.ReplaceAll(clean, "\n", " ") // a break between removed tags is no line break
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

// stable is clean HTML in the form that a parser reads back unchanged. One pass balances the tags
// and moves misplaced elements; seldom a second pass is needed.
func (s *sanitizer) stable(text string) string {
	if strings.IndexByte(text, '<') < 0 || isStable(text) {
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

// balance parses text as the content of a div and writes it with every tag closed. Where tags are
// nested deeper than a parser allows, they are removed.
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

// isLine reports whether Line leaves a text unchanged, as a quick check: it has only visible ASCII
// characters with single spaces between them.
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

// isBidiControl reports whether a character changes the writing direction of the text after it.
func isBidiControl(r rune) bool { return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 }

// isInvisible reports whether a character shows nothing. Such characters are copied with a SKU or a
// title from a page; then two SKUs look alike and differ, or a title is there and cannot be seen.
func isInvisible(r rune) bool { return r == 0x200b || r == 0x2060 || r == 0xfeff || r == 0x00ad }
