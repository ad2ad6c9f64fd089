// Package dashboard is the page that shows a person what the connector is doing. It is one file without anything from elsewhere, embedded in the
// binary, and reads the same API that scripts do.
package dashboard

import (
	_ "embed"
	"net/http"
)

//go:embed index.html
var page []byte

// Handler serves the page.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'")
		_, _ = w.Write(page) //nolint:errcheck // the browser has gone
	})
}
