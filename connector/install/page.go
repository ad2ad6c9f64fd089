package install

import (
	"html/template"
	"net/http"
)

// page tells a person why the installation was refused.
var page = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>pubsync: not installed</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:36em;margin:4em auto;padding:0 1em}</style></head>
<body><h1>pubsync was not installed</h1><p id="reason">{{.Reason}}</p><p id="advice">{{.Advice}}</p></body></html>
`))

// A refusal ends an installation before anything is stored.
type refusal struct {
	status int
	result string // the label of the counter
	Reason string // for the person in the browser
	Advice string
}

// refuse is a refusal after which the person may start again.
func refuse(status int, result, reason string) *refusal {
	return &refusal{
		status, result, reason, "Nothing was stored. Start the installation again from the app's page at the " +
			"marketplace, or from the address that pubsync status shows.",
	}
}

func (h *Handler) unstored(err error) *refusal {
	h.StoreFailed(err)
	return &refusal{
		http.StatusServiceUnavailable, "store", "The token could not be stored here.",
		"Nothing was stored. Whoever runs this pubsync can see the reason in its log.",
	}
}

func (r *refusal) show(w http.ResponseWriter) {
	guard(w)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(r.status)
	_ = page.Execute(w, r) //nolint:errcheck // the browser has gone
}

// ShowUnknown answers an installation for an account that nobody configured here.
func ShowUnknown(w http.ResponseWriter) {
	(&refusal{
		http.StatusForbidden, "account", "This pubsync has no such account of the marketplace.",
		"Nothing was stored. Whoever runs this pubsync can add the account, and tell you the address to install it at.",
	}).show(w)
}

// ShowElsewhere answers an installation for an account that another process works on. The browser
// tries again, and may come to that process.
func ShowElsewhere(w http.ResponseWriter) {
	w.Header().Set("Refresh", "2")
	(&refusal{
		http.StatusServiceUnavailable, "elsewhere", "The account cannot be written here at the moment.",
		"Nothing was stored. This page tries again.",
	}).show(w)
}

// guard sets headers that keep an address with a code out of caches, frames and the logs of other
// sites.
func guard(w http.ResponseWriter) {
	head := w.Header()
	head.Set("Cache-Control", "no-store")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; "+
		"base-uri 'none'; form-action 'none'")
}
