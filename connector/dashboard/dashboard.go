// Package dashboard is the page that shows what the connector does. Its first line says whether all is well, and
// if not, who can mend it.
//
// Links and forms work without script, by relative addresses, and so behind a proxy's prefix. The script fetches
// the page again for at most a twentieth of the worker's time.
//
// Texts from suppliers and shops may be hostile. The Content-Security-Policy allows this style and script alone,
// but pictures from any host with https, since the marketplace chooses it. In the demo http is allowed too;
// elsewhere a supplier's address must not have the browser ask machines of its network.
package dashboard

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"math"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

var (
	//go:embed page/*.html
	sources embed.FS
	//go:embed page/style.css
	style string
	//go:embed page/live.js
	script string
)

// A Desk also tries rules, as a process with the store can.
type Desk interface {
	desk.Desk
	Try(ctx context.Context, set map[string]string) (desk.Trial, error)
}

// Options are what a page needs beside its desk.
type Options struct {
	Demo      bool // its pictures come by http
	Catalogue bool // the shop's own pages are served below catalog/
	Accounts  bool // one of several: the page of all is two folders up
}

// Handler serves the page of an account at any path.
func Handler(d Desk, o Options) http.Handler {
	mux := http.NewServeMux()
	serve := func(w http.ResponseWriter, r *http.Request) {
		p, status := pageOf(r, o), http.StatusOK
		if r.Method == http.MethodPost {
			err := p.act(r, d)
			if err == nil {
				// http.Redirect would make it absolute, by a path that a proxy or StripPrefix has cut
				w.Header().Set("Location", p.With("said", p.Said, "count", p.Count))
				w.WriteHeader(http.StatusSeeOther)
				return
			}
			p.Fault, status = "That did not work: "+err.Error()+".", http.StatusConflict
		}
		if err := p.fill(r.Context(), d); err != nil {
			p.Failed, status = err.Error(), http.StatusServiceUnavailable
		}
		pictures := "data: https:"
		if p.Demo {
			pictures += " http:"
		}
		answer(w, status, pictures, "page.html", p)
	}
	mux.HandleFunc("GET /", serve)
	mux.HandleFunc("POST /", serve)
	return mux
}

// answer sends a template's text under the security headers.
func answer(w http.ResponseWriter, status int, pictures, name string, data any) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy+"; img-src "+pictures)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin") // under no-referrer a form would come with the origin null
	h.Set("Cache-Control", "no-store")
	var text bytes.Buffer
	if err := templates().ExecuteTemplate(&text, name, data); err != nil {
		http.Error(w, "the page cannot be shown: "+err.Error(), http.StatusInternalServerError)
		return
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.Copy(w, &text) //nolint:errcheck // the browser has gone
}

var policy = "default-src 'none'; style-src " + hash(style) + "; script-src " + hash(script) +
	"; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'" +
	"; require-trusted-types-for 'script'; trusted-types 'none'"

// liveHeader marks requests of the script, which has style and script. "again" asks for the page that it shows.
const liveHeader = "Live"

// act does what a form asks for.
func (p *page) act(r *http.Request, d Desk) error {
	if err := r.ParseForm(); err != nil {
		return err
	}
	form := r.PostForm
	asks := desk.Request{IDs: form["id"], By: "the dashboard"}
	switch p.Said = form.Get("do"); p.Said {
	case "sweep", "full":
		_, err := d.Run(r.Context(), desk.RunOptions{Full: p.Said == "full"})
		return err
	case "retry", "reset", "failed":
		asks.Retry, asks.Reset, asks.Failed = true, p.Said == "reset", p.Said == "failed"
	case "approve", "decline":
		asks.Decline, asks.Holds, asks.Kind, asks.All = p.Said == "decline", form["hold"], form.Get("kind"), form.Has("all")
		asks.At, _ = time.Parse(time.RFC3339Nano, form.Get("at")) //nolint:errcheck // then nothing is left out
	default:
		return errors.New("the form is of another version of this page")
	}
	asked, err := d.Ask(r.Context(), asks)
	p.Count = asked.Count
	return err
}

var templates = sync.OnceValue(func() *template.Template { // most processes show no page
	return template.Must(template.New("").Funcs(template.FuncMap{
		"style":     func() template.CSS { return template.CSS(style) }, //nolint:gosec // ours
		"script":    func() template.JS { return template.JS(script) },  //nolint:gosec // ours
		"arguments": func(all ...any) []any { return all },
		"less":      func(a, b int) int { return a - b },
		"round":     func(f float64) int { return int(math.Round(f)) },
		"bytes":     func(n int64) string { return humanize.IBytes(uint64(max(n, 0))) },
		"number":    number, "count": count, "share": share, "when": when, "due": due, "web": web, "quoted": quoted,
	}).ParseFS(sources, "page/*.html"))
})

// hash names an inline element in a Content-Security-Policy.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func number(n int) string { return humanize.Comma(int64(n)) }

func count(n int, one, many string) string {
	if n == 1 {
		many = one
	}
	return number(n) + " " + many
}

// share returns a part of a whole in percent.
func share(part, of int) string {
	return fmt.Sprintf("%.1f%%", min(100, 100*float64(part)/float64(max(of, 1))))
}

// when shows how far away a time is, in full on hover, or none. A text that is no time is none.
func when(v any, none string) template.HTML {
	var at time.Time
	switch v := v.(type) {
	case time.Time:
		at = v
	case store.Instant:
		at = v.Time()
	case string:
		at, _ = time.Parse(time.RFC3339, v) //nolint:errcheck // as above
	}
	if at.IsZero() {
		return template.HTML(template.HTMLEscapeString(none)) //nolint:gosec // escaped
	}
	return template.HTML(fmt.Sprintf(`<time datetime="%s" title="%s">%s</time>`, //nolint:gosec // of a time alone
		at.UTC().Format(time.RFC3339), at.UTC().Format("2 Jan 2006, 15:04:05 MST"), humanize.Time(at)))
}

// due is when for what is awaited: a past time is now.
func due(at store.Instant, none string) template.HTML {
	if at != 0 {
		at = max(at, store.At(time.Now()))
	}
	return when(at, none)
}

// web returns only http and https addresses: a shop could answer with javascript: or file:.
func web(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		return ""
	}
	return address
}

// quoted returns a value as an env file needs it.
func quoted(value string) string {
	if strings.ContainsAny(value, " \t#'\"$") {
		return "'" + value + "'"
	}
	return value
}
