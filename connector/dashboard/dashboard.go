// Package dashboard is the page that shows what the connector is doing. Its first line says in
// words whether all is well, and if not, who can mend it: the merchant, the supplier, or time. The
// rest of the page explains that line.
//
// Styles, script and icon are inside the page, joined from the folder page, so that it stays whole
// behind a login or a proxy's prefix; all else it reads from the API of package connector/desk, by
// relative addresses, every few seconds while it is visible and for a twentieth of the worker's time at
// most.
//
// Titles, ids, messages and addresses come from suppliers and shops, and may be hostile. They enter
// the document as text alone, which the Content-Security-Policy enforces too: only this style and this
// script run, known by their hashes, connections go to this origin, and with Trusted Types and no
// policy turning a string into markup or code is an error. Pictures may come from any https address,
// since the marketplace chooses their host, and without https only from a marketplace on this machine.
package dashboard

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

//go:embed page
var sources embed.FS

// Handler serves the page, whatever the path: mount it where it belongs. Requests other than GET
// and HEAD are 405. marketplace is the marketplace's address, whose pictures are shown without
// https where it is on this machine; it may be empty.
func Handler(marketplace string) http.Handler {
	pictures := localOrigin(marketplace)
	return serve(func() (page, policy string) { return document(pictures) })
}

// Accounts serves the page of the accounts of a process, as Handler serves that of one account. It
// reads api/v1/accounts.
func Accounts() http.Handler {
	return serve(func() (page, policy string) {
		return assemble("accounts.html", joined("base.css", "layout.css", "list.css", "accounts.css"),
			joined("element.js", "moment.js", "worker.js", "accounts.js"), "")
	})
}

// serve serves a page that is made when it is asked for: a process may have a thousand of them.
func serve(made func() (page, policy string)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "the page can only be read", http.StatusMethodNotAllowed)
			return
		}
		page, policy := made()
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

// localOrigin is the origin of an http address on this machine, "" for any other address.
func localOrigin(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" {
		return ""
	}
	ip, err := netip.ParseAddr(u.Hostname())
	if u.Hostname() != "localhost" && (err != nil || !ip.IsLoopback()) {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host}).String()
}

// document joins the sources, and derives the policy that lets exactly this document work. pictures
// is an origin without https from which pictures are shown; "": there is none.
func document(pictures string) (page, policy string) {
	style := joined("base.css", "layout.css", "list.css", "panel.css", "prices.css")
	script := joined("element.js", "moment.js", "words.js", "worker.js", "choose.js", "view.js", "act.js",
		"verdict.js", "headline.js", "facts.js", "groups.js", "trial.js", "prices.js",
		"list.js", "panel.js", "start.js")
	return assemble("page.html", style, script, pictures)
}

func assemble(name, style, script, pictures string) (page, policy string) {
	page = strings.NewReplacer("<style></style>", "<style>"+style+"</style>", `<script type="module"></script>`,
		`<script type="module">`+script+"</script>", `data-pictures=""`,
		`data-pictures="`+html.EscapeString(pictures)+`"`).Replace(joined(name))
	policy = strings.Join([]string{
		"default-src 'none'", "style-src " + hash(style), "script-src " + hash(script),
		"connect-src 'self'", strings.TrimSpace("img-src data: https: " + pictures),
		"base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
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
