// Package dashboard is the page that shows what the connector is doing. Its first line says in
// words whether all is well, and if not, who can mend it: the merchant, the supplier, or time. The
// rest of the page explains that line.
//
// # One document
//
// Styles, script and icon are inside the page, and it loads nothing. There is no build step: the
// sources lie in the folder page, and the handler joins them in a fixed order. One document stays
// whole behind a login or a proxy's prefix. Every further request goes to the API, by a relative
// address.
//
// # Text alone
//
// Titles, ids, messages and addresses come from suppliers and shops, and may be hostile. They enter
// the document as text and never as markup, and an address becomes a link only if it is http or
// https. The Content-Security-Policy enforces this in the browser too: only this style and this
// script run, known by their hashes; connections go to this origin alone; with Trusted Types and no
// policy, turning a string into markup or code is an error.
//
// # Little load
//
// The page reads the API of package connector/desk, as scripts do. It polls every few seconds while
// it is visible, not at all while its tab is hidden, and never takes more than a twentieth of the
// worker's time. When the worker does not answer, the page says so and since when, keeps showing
// the last answer, and polls on.
package dashboard

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"io"
	"net/http"
	"strconv"
	"strings"
)

//go:embed page
var sources embed.FS

// Handler serves the page, whatever the path: mount it where it belongs. Requests other than GET
// and HEAD are 405.
func Handler() http.Handler {
	page, policy := document()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "the page can only be read", http.StatusMethodNotAllowed)
			return
		}
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Length", strconv.Itoa(len(page)))
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-store") // a page of yesterday's version would misread today's API
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, page) //nolint:errcheck // the browser has gone
		}
	})
}

// document joins the sources, and derives the policy that lets exactly this document work.
func document() (page, policy string) {
	style := joined("base.css", "layout.css", "panel.css")
	script := joined("element.js", "moment.js", "words.js", "worker.js", "view.js", "act.js", "verdict.js", "headline.js",
		"facts.js", "list.js", "panel.js", "start.js")
	page = strings.NewReplacer("<style></style>", "<style>"+style+"</style>", `<script type="module"></script>`,
		`<script type="module">`+script+"</script>").Replace(joined("page.html"))
	policy = strings.Join([]string{
		"default-src 'none'", "style-src " + hash(style), "script-src " + hash(script),
		"connect-src 'self'", "img-src data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
		"require-trusted-types-for 'script'", "trusted-types 'none'",
	}, "; ")
	return page, policy
}

// joined is the text of these sources. They are embedded, so one that is missing is a fault of the
// program.
func joined(names ...string) string {
	var all strings.Builder
	for _, name := range names {
		text, err := sources.ReadFile("page/" + name)
		if err != nil {
			panic("dashboard: " + err.Error())
		}
		all.Write(text)
	}
	return all.String()
}

// hash names an inline element's exact text in a Content-Security-Policy.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
