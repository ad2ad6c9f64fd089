package publication

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// MaxDescription is how much of a description shops take, in bytes.
const MaxDescription = 60 << 10

const (
	maxTitle = 250 // characters that all known shops take
	maxLine  = 190
	// signs that turn the text behind them, or show nothing
	hiding = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u00ad\u200b\u2060\ufeff"
	// mostGrowth bounds how many times its length a text becomes: a sign may need an entity of six characters.
	mostGrowth = 8
)

var (
	formatting = formattingPolicy()
	bare       = bluemonday.StrictPolicy()

	tag        = regexp.MustCompile(`<[/!?a-zA-Z]`)                             // what a parser takes for one
	unfinished = regexp.MustCompile(`(?:<(?:[/!?a-zA-Z][^>]*)?|&[^;]{0,31})$`)  // a tag or entity at the end
	paragraph  = regexp.MustCompile(`</(?:p|li|ul|ol|div|tr|table)>|\n|[.!?] `) // or a line's or sentence's end
)

func formattingPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements(strings.Fields("p br hr b strong i em u s small sub sup span div blockquote pre code ul ol li dl dt " +
		"dd h2 h3 h4 h5 h6 table thead tbody tfoot tr td th caption")...)
	p.AllowAttrs("colspan", "rowspan").Matching(bluemonday.Integer).OnElements("td", "th")
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("http", "https", "mailto")
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnLinks(true)
	p.AllowRelativeURLs(false)
	return p
}

// sanitize keeps formatting, and removes what runs, loads or breaks out. It balances tags, since an open one would
// spoil the page behind it. Square brackets become entities, since a shop may execute the text between them as a
// shortcode. sanitize is idempotent.
func sanitize(text string) string {
	text = strings.TrimSpace(printable(text))
	if !tag.MatchString(text) {
		text = strings.ReplaceAll(text, "\n", "<br>\n")
	}
	// The policy comes first: without attributes a parser repeats at most three formatting elements of a kind, so a few
	// malicious kilobytes do not become gigabytes. An entity may name a control character, hence printable again.
	clean := printable(formatting.Sanitize(text))
	for again, tries := balance(clean), 0; again != clean && tries < 8; tries++ {
		clean, again = again, balance(again)
	}
	if len(clean) > mostGrowth*len(text) {
		clean = printable(bare.Sanitize(text))
	}
	if !tag.MatchString(clean) {
		clean = strings.ReplaceAll(clean, "\n", " ") // a break between removed tags is no line break
	}
	return strings.TrimSpace(strings.NewReplacer("[", "&#91;", "]", "&#93;").Replace(clean))
}

func printable(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.ToValidUTF8(text, ""))
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text)
}

// balance closes every tag, as in a div. It removes all tags if they are nested deeper than a parser allows.
func balance(text string) string {
	if strings.IndexByte(text, '<') < 0 {
		return text // the policy has written the entities as a parser does
	}
	nodes, err := html.ParseFragment(
		strings.NewReader(text), &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div},
	)
	var b strings.Builder
	for _, n := range nodes {
		if err == nil {
			err = html.Render(&b, n)
		}
	}
	if err != nil {
		return bare.Sanitize(text)
	}
	return b.String()
}

// cut cuts HTML or plain text to at most so many bytes, after a paragraph, line or sentence of the second half if
// there is one. It never cuts within a tag, an entity or a character.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	whole := unfinished.ReplaceAllString(strings.ToValidUTF8(text[:most], ""), "")
	if ends := paragraph.FindAllStringIndex(whole, -1); len(ends) > 0 && ends[len(ends)-1][1] >= most/2 {
		whole = whole[:ends[len(ends)-1][1]]
	}
	return strings.TrimRightFunc(whole, unicode.IsSpace)
}

// line returns plain text in one line. Signs that show nothing go: copied from a page, they make two SKUs look alike
// and differ.
func line(text string, limit int) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), r == utf8.RuneError, strings.ContainsRune(hiding, r):
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
