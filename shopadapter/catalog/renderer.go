package catalog

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the pages' templates and style
	"encoding/base64"
	"fmt"
	"html/template"
	"strings"

	"github.com/microcosm-cc/bluemonday"
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

// ourMark is what every page of ours begins with, and by which it is known from other people's.
const ourMark = "<!doctype html>\n<!-- pubsync catalog -->\n"

func isOurs(page []byte) bool { return bytes.HasPrefix(page, []byte(ourMark)) }

// A renderer turns records into pages. It may be used by several goroutines at a time.
type renderer struct {
	templates *template.Template
	rich      *bluemonday.Policy // what a description may hold
	plain     *bluemonday.Policy // nothing but text
	spaced    *strings.Replacer  // parts the words that only a tag parts
	style     template.CSS
	policy    string
	base      string // address of the folder without a slash at its end; "" when it is not served
}

// A frame is what all pages have around their content.
type frame struct {
	Title  string
	About  string // for search engines; may be empty
	Image  string // likewise
	Policy string
	Style  template.CSS
}

func newRenderer() (*renderer, error) {
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
	style := squeeze(styleCSS)
	sum := sha256.Sum256([]byte(style))
	return &renderer{
		templates: t,
		rich:      richPolicy(),
		plain:     bluemonday.StrictPolicy(),
		spaced: strings.NewReplacer(
			"<p",
			" <p",
			"<br",
			" <br",
			"<li",
			" <li",
			"<t",
			" <t",
			"<d",
			" <d",
			"<h",
			" <h",
			"</h",
			" </h",
			"</p",
			" </p",
		),
		style: template.CSS(style), //nolint:gosec // our own file
		policy: "default-src 'none'; img-src http: https:; style-src 'sha256-" + base64.StdEncoding.EncodeToString(
			sum[:],
		) +
			"'; base-uri 'none'; form-action 'none'",
	}, nil
}

// page is where a customer sees the product, "" where the folder is not served.
func (v *renderer) page(name string) string {
	if v.base == "" {
		return ""
	}
	return v.base + "/" + productsFolder + "/" + name + ".html"
}

// squeeze takes indentation and line breaks out of the style, which stands in every page so that a
// page needs nothing but itself.
func squeeze(css string) string {
	var b strings.Builder
	for line := range strings.Lines(css) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "/*") {
			b.WriteString(line)
		}
	}
	return b.String()
}

func (v *renderer) frame(f frame) frame {
	f.Policy, f.Style = v.policy, v.style
	return f
}

func (v *renderer) render(name string, data any) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(16 << 10)
	b.WriteString(ourMark)
	if err := v.templates.ExecuteTemplate(&b, name, data); err != nil {
		return nil, fmt.Errorf("render %s: %w", name, err)
	}
	return b.Bytes(), nil
}
