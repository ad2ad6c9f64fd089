package catalog

import (
	"html"
	"html/template"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/microcosm-cc/bluemonday"
	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// richPolicy lets through what a product description is made of: text, lists, tables, headings,
// links and pictures with http addresses. No style, no class, no id, nothing that runs.
func richPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements(
		"p",
		"br",
		"hr",
		"b",
		"strong",
		"i",
		"em",
		"u",
		"s",
		"small",
		"sub",
		"sup",
		"blockquote",
		"code",
		"pre",
		"ul",
		"ol",
		"li",
		"dl",
		"dt",
		"dd",
		"h2",
		"h3",
		"h4",
		"h5",
		"h6",
		"table",
		"caption",
		"thead",
		"tbody",
		"tfoot",
		"tr",
		"th",
		"td",
	)
	p.AllowAttrs("colspan", "rowspan").Matching(bluemonday.Integer).OnElements("th", "td")
	p.AllowAttrs("href").OnElements("a")
	p.AllowAttrs("src").OnElements("img")
	p.AllowAttrs("alt").Matching(bluemonday.Paragraph).OnElements("img")
	p.AllowURLSchemes("http", "https")
	p.AllowRelativeURLs(false)
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	return p
}

// description is the sanitised HTML of a description. Tags are balanced first, as the policy would
// let a stray end tag through.
func (v *renderer) description(source string) template.HTML {
	if strings.TrimSpace(source) == "" {
		return ""
	}
	within := &nethtml.Node{Type: nethtml.ElementNode, Data: "div", DataAtom: atom.Div}
	nodes, err := nethtml.ParseFragment(strings.NewReader(source), within)
	if err != nil {
		return template.HTML(html.EscapeString(source)) //nolint:gosec // escaped
	}
	var b strings.Builder
	for _, n := range nodes {
		if err := nethtml.Render(&b, n); err != nil {
			return template.HTML(html.EscapeString(source)) //nolint:gosec // escaped
		}
	}
	return template.HTML(v.rich.Sanitize(b.String())) //nolint:gosec // sanitised
}

// summary is the first words of a description without its markup, at most limit bytes.
func (v *renderer) summary(source string, limit int) string {
	const enough = 4 << 10 // bytes of markup that hold a summary
	if len(source) > enough {
		source = source[:enough]
		if tag := strings.LastIndexByte(source, '<'); tag > strings.LastIndexByte(source, '>') {
			source = source[:tag]
		}
	}
	text := html.UnescapeString(v.plain.Sanitize(v.spaced.Replace(source)))
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	if len(text) <= limit {
		return text
	}
	text = text[:limit]
	if space := strings.LastIndexByte(text, ' '); space > 0 {
		text = text[:space]
	}
	for !utf8.ValidString(text) {
		text = text[:len(text)-1]
	}
	return text + "…"
}

// pictures are the addresses among given that a page may load: http or https, with a host.
func pictures(given []string) []string {
	good := make([]string, 0, len(given))
	for _, address := range given {
		if u, err := url.Parse(address); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
			good = append(good, address)
		}
	}
	return good
}
