package connector

import (
	stdhtml "html"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A sanitizer makes a supplier's text fit to be shown in somebody's shop.
type sanitizer struct{ policy *bluemonday.Policy }

func newSanitizer() *sanitizer {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "b", "strong", "i", "em", "u", "s", "small", "sub", "sup", "span", "div", "blockquote", "pre", "code",
		"ul", "ol", "li", "dl", "dt", "dd", "h2", "h3", "h4", "h5", "h6",
		"table", "thead", "tbody", "tfoot", "tr", "td", "th", "caption")
	p.AllowAttrs("colspan", "rowspan").Matching(bluemonday.Integer).OnElements("td", "th")
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("http", "https", "mailto")
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnLinks(true)
	p.AllowRelativeURLs(false)
	return &sanitizer{policy: p}
}

// HTML keeps the formatting of a description and nothing that runs, loads or breaks out: scripts, handlers, frames, images and foreign
// addresses go; tags are balanced first, since an open one would swallow the rest of a shop's page; square brackets become entities, since a
// shop may execute what stands between them as a shortcode. Plain text keeps its line breaks.
func (s *sanitizer) HTML(text string) string {
	text = strings.TrimSpace(strings.ToValidUTF8(text, ""))
	if text == "" {
		return ""
	}
	if !strings.ContainsAny(text, "<&") {
		text = strings.ReplaceAll(stdhtml.EscapeString(text), "\n", "<br>\n")
	}
	clean := s.policy.Sanitize(balance(text))
	return strings.TrimSpace(strings.NewReplacer("[", "&#91;", "]", "&#93;").Replace(clean))
}

// balance parses text as the content of a div and writes it out with every tag closed. A text that no parser accepts is shown as it is written.
func balance(text string) string {
	nodes, err := html.ParseFragment(strings.NewReader(text), &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil {
		return stdhtml.EscapeString(text)
	}
	var b strings.Builder
	for _, n := range nodes {
		if err := html.Render(&b, n); err != nil {
			return stdhtml.EscapeString(text)
		}
	}
	return b.String()
}

// Line is a plain text in one line without control characters, at most max runes long.
func (s *sanitizer) Line(text string, limit int) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), r == utf8.RuneError, isBidiControl(r):
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

// isBidiControl tells the characters that turn the writing direction of what follows.
func isBidiControl(r rune) bool { return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 }
