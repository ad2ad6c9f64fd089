package catalog

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the pages' templates and style
	"encoding/base64"
	"fmt"
	"html"
	"html/template"
	"net/url"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	nethtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

var (
	//go:embed product.html.tmpl
	productHTML string
	//go:embed index.html.tmpl
	indexHTML string
	//go:embed frame.html.tmpl
	frameHTML string
	//go:embed style.css
	styleCSS string
)

// frameLanguage is the language of what the pages say by themselves.
const frameLanguage = "en"

// ourMark is what every page of ours begins with, and by which it is known from other people's.
const ourMark = "<!doctype html>\n<!-- pubsync catalog -->\n"

func isOurs(page []byte) bool { return bytes.HasPrefix(page, []byte(ourMark)) }

// A renderer turns records into pages. It may be used by several goroutines at a time.
type renderer struct {
	templates *template.Template
	rich      *bluemonday.Policy // what a description may hold
	style     template.CSS
	policy    string
	base      string // address of the folder without a slash at its end; "" when it is not served
}

// A frame is what all pages have around their content.
type frame struct {
	Title  string
	Image  string // for who links to the page; may be empty
	Policy string
	Style  template.CSS
}

func newRenderer(base string) (*renderer, error) {
	t, err := template.New("catalog").Parse(frameHTML)
	if err == nil {
		_, err = t.New("product").Parse(productHTML)
	}
	if err == nil {
		_, err = t.New("index").Parse(indexHTML)
	}
	if err != nil {
		return nil, fmt.Errorf("parse page templates: %w", err)
	}
	sum := sha256.Sum256([]byte(styleCSS))
	return &renderer{
		templates: t, rich: richPolicy(), style: template.CSS(styleCSS), base: base, //nolint:gosec // our own file
		policy: "default-src 'none'; img-src http: https:; style-src 'sha256-" +
			base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri 'none'; form-action 'none'",
	}, nil
}

// address is where a customer sees the product, "" where the folder is not served.
func (v *renderer) address(name string) string {
	if v.base == "" {
		return ""
	}
	return v.base + "/" + pagePath(name)
}

func (v *renderer) frame(title, image string) frame { return frame{title, image, v.policy, v.style} }

func (v *renderer) render(name string, data any) ([]byte, error) {
	b := bytes.NewBufferString(ourMark)
	if err := v.templates.ExecuteTemplate(b, name, data); err != nil {
		return nil, fmt.Errorf("render %s: %w", name, err)
	}
	return b.Bytes(), nil
}

// richPolicy lets through what a product description is made of: text, lists, tables, headings,
// links and pictures with http addresses. No style, no class, no id, nothing that runs.
func richPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements(strings.Fields("p br hr b strong i em u s small sub sup blockquote code pre ul ol li dl dt dd " +
		"h2 h3 h4 h5 h6 table caption thead tbody tfoot tr th td")...)
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
	within := &nethtml.Node{Type: nethtml.ElementNode, Data: "div", DataAtom: atom.Div}
	nodes, err := nethtml.ParseFragment(strings.NewReader(source), within)
	var b strings.Builder
	for _, n := range nodes {
		if err == nil {
			err = nethtml.Render(&b, n)
		}
	}
	if err != nil {
		return template.HTML(html.EscapeString(source)) //nolint:gosec // escaped
	}
	return template.HTML(v.rich.Sanitize(strings.TrimSpace(b.String()))) //nolint:gosec // sanitised
}

// pictures are the addresses among given that a page may load: http or https, with a host.
func pictures(given []string) (good []string) {
	for _, address := range given {
		if u, err := url.Parse(address); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" {
			good = append(good, address)
		}
	}
	return good
}
