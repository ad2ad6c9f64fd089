// Package dashboard is the page that a person opens to see what the connector is doing: at three in the morning, when something is wrong, and at
// the first look, when nothing has been configured yet. Its first line therefore answers one question in words, is all well, and if not,
// whose turn it is: the merchant's, the supplier's, or merely time's. Everything else on it is there to explain that line.
//
// # One answer
//
// The page is one document: styles, script and icon are inside it, and it loads nothing from anywhere. There is no build step. The sources lie in
// the folder page, small files that are joined in a fixed order when the handler is made; what a browser runs is what can be read there.
// That it is one answer also keeps it whole behind a login or a proxy's prefix: all further requests are to the API, by relative addresses.
//
// # Nothing but data
//
// Titles, ids, messages and addresses come from suppliers and shops and are hostile until shown otherwise. They enter the document as text
// and never as markup, and an address becomes a link only if it is http or https. The Content-Security-Policy holds the browser to the same
// even where the script should be wrong: only this very style and this very script run, known by their hashes; connections go to this origin
// alone; and Trusted Types, with no policy allowed, make every way of turning a string into markup or code an error.
//
// # A poor guest
//
// The page reads the API that scripts read and knows nothing besides. It asks every few seconds while somebody looks at it, not at all while its tab
// is hidden, and never for more than a twentieth of the time that the worker takes to answer. When the worker goes away the page says so, says
// since when, keeps showing what was last known, and goes on asking.
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

// Handler serves the page, whatever the path: mount it where it belongs. Requests other than GET and HEAD are 405.
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
	script := joined("element.js", "moment.js", "words.js", "worker.js", "view.js", "act.js", "verdict.js", "headline.js", "facts.js", "list.js",
		"panel.js", "start.js")
	page = strings.NewReplacer(
		"<style></style>", "<style>"+style+"</style>",
		`<script type="module"></script>`, `<script type="module">`+script+"</script>",
	).Replace(joined("page.html"))
	policy = strings.Join([]string{
		"default-src 'none'",
		"style-src " + hash(style),
		"script-src " + hash(script),
		"connect-src 'self'",
		"img-src data:",
		"base-uri 'none'",
		"form-action 'none'",
		"frame-ancestors 'none'",
		"require-trusted-types-for 'script'",
		"trusted-types 'none'",
	}, "; ")
	return page, policy
}

// joined is the text of these sources. They are embedded, so one that is missing is a fault of the program.
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
