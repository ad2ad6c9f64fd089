package woocommerce

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/fakeshop"
)

// A front is what a test puts before the shop's API: its web server, its plugins, and its pages.
type front struct {
	Bare         bool   // permalinks are on Plain
	Nginx, Leads bool   // and the web server shows the front page for every address, or leads there
	Soon         string // "site" or "store": a placeholder stands in place of all pages, or of products
	Without      bool   // WooCommerce is not active
	Foreign      bool   // not a WordPress at all
	Blocked      bool   // a security plugin closes the REST API
	Firewall     bool
}

// serve answers as the web server does, WordPress, or a plugin before the API.
func (f *front) serve(base string, w http.ResponseWriter, r *http.Request, local string) bool {
	isAPI, folder := strings.HasPrefix(local, root), ""
	if u, err := url.Parse(base); err == nil {
		folder = u.Path
	}
	switch below := strings.HasPrefix(r.URL.Path+"/", folder+"/"); {
	case f.Firewall || strings.HasPrefix(r.UserAgent(), "Go-http-client") || r.UserAgent() == "":
		fakeshop.Page(w, http.StatusForbidden, "403 Forbidden")
	case f.Foreign, !below: // what lies above WordPress' folder is another site, or none
		fakeshop.Page(w, http.StatusNotFound, "Not Found")
	case !isAPI && (f.Soon == "site" || f.Soon == "store" && strings.HasPrefix(local, "/product/")):
		fakeshop.Page(w, http.StatusOK, "A shop</title><meta name='woo-coming-soon-page' content='yes'><title>")
	case strings.HasPrefix(local, "/product/"):
		fakeshop.Page(w, http.StatusOK, "A product")
	case f.Bare && f.Nginx && f.Leads && local != "/":
		w.Header().Set("Location", base+"/")
		fakeshop.Page(w, http.StatusMovedPermanently, "Moved")
	case f.Bare && f.Nginx, local == "/":
		fakeshop.Page(w, http.StatusOK, `A shop</title><link href="/wp-content/themes/storefront/style.css"><title>`)
	case !isAPI || f.Bare:
		fakeshop.Page(w, http.StatusNotFound, "Page not found")
	case f.Without:
		said(w, http.StatusNotFound, `{"code":"rest_no_route","message":"No route was found."}`)
	case f.Blocked:
		said(w, http.StatusForbidden, `{"code":"rest_forbidden","message":"REST API restricted to authenticated users."}`)
	default:
		return false
	}
	return true
}

func said(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = fmt.Fprint(w, body)
}
