package fakeshop

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strings"
)

// apiRoot is where the API answers, below the shop's address.
const apiRoot = "/wp-json/wc/v3"

// The codes of faults that are told in several places.
const (
	faultNoProduct   = "woocommerce_rest_product_invalid_id"
	faultNoVariation = "woocommerce_rest_product_variation_invalid_id"
	faultCannotView  = "woocommerce_rest_cannot_view"
	faultUpload      = "woocommerce_product_image_upload_error"
)

// A failure is an answer that refuses.
type failure struct {
	status     int
	code, text string
	data       map[string]any
}

func fail(status int, code, text string) *failure {
	return &failure{status: status, code: code, text: text}
}

// with adds the one who stands in the way.
func (e *failure) with(resource any) *failure {
	e.data = map[string]any{"resource_id": resource}
	return e
}

func (e *failure) body() map[string]any {
	data := map[string]any{"status": e.status}
	maps.Copy(data, e.data)
	return map[string]any{"code": e.code, "message": e.text, "data": data}
}

// critical is what WordPress answers when PHP died, where it still can.
func critical() *failure {
	return fail(500, "internal_server_error", "<p>There has been a critical error on this website.</p>")
}

func page(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, "<!doctype html><title>"+text+"</title>")
}

func reply(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value)
}

// serve answers as the web server does, WordPress, or a plugin before the API.
func (f *Shop) serve(w http.ResponseWriter, r *http.Request, body []byte) {
	local, query := f.local(r.URL.Path), r.URL.Query()
	route, isAPI := strings.CutPrefix(local, apiRoot)
	switch below := r.URL.Path == f.folder() || strings.HasPrefix(r.URL.Path, f.folder()+"/"); {
	case f.Firewall || strings.HasPrefix(r.UserAgent(), "Go-http-client") || r.UserAgent() == "":
		page(w, http.StatusForbidden, "403 Forbidden")
	case f.Upkeep:
		w.Header().Set("Retry-After", "600")
		page(w, http.StatusServiceUnavailable, "Briefly unavailable for scheduled maintenance. Check back in a minute.")
	case f.Foreign, !below: // what lies above WordPress' folder is another site, or none
		page(w, http.StatusNotFound, "Not Found")
	case local == "/" && query.Get("rest_route") == "/" && !f.Mute, local == "/wp-json/" && !f.Bare:
		namespaces := []string{"wp/v2", "oembed/1.0", "wc/v3"}
		if f.Without {
			namespaces = namespaces[:2]
		}
		index := map[string]any{"name": "A shop", "home": f.Base, "namespaces": namespaces}
		reply(w, http.StatusOK, onlyFields(index, query.Get("_fields")))
	case !isAPI && (f.Soon == "site" || f.Soon == "store" && strings.HasPrefix(local, "/product/")):
		page(w, http.StatusOK, "A shop</title><meta name='woo-coming-soon-page' content='yes'><title>")
	case strings.HasPrefix(local, "/product/"):
		page(w, http.StatusOK, "A product")
	case f.Bare && f.Nginx && f.Leads && local != "/":
		w.Header().Set("Location", f.Base+"/")
		page(w, http.StatusMovedPermanently, "Moved")
	case f.Bare && f.Nginx, local == "/":
		api := "wp-json/"
		if f.Bare {
			api = "index.php?rest_route=/"
		}
		w.Header().Set("Link", "<"+f.Base+"/"+api+`>; rel="https://api.w.org/"`)
		page(w, http.StatusOK, `A shop</title><link rel="stylesheet" href="/wp-content/themes/storefront/style.css"><title>`)
	case !isAPI || f.Bare:
		page(w, http.StatusNotFound, "Page not found")
	case f.Without:
		e := noRoute()
		reply(w, e.status, e.body())
	case f.Blocked:
		reply(w, 403, fail(403, "rest_forbidden", "REST API restricted to authenticated users.").body())
	default:
		f.serveAPI(w, r, route, body)
	}
}

func noRoute() *failure {
	return fail(404, "rest_no_route", "No route was found matching the URL and request method.")
}

// serveAPI answers a request of the API, and holds it against the schemas.
func (f *Shop) serveAPI(w http.ResponseWriter, r *http.Request, route string, body []byte) {
	var input map[string]any
	e := f.authenticate(r)
	if e == nil && len(body) > 0 && json.Unmarshal(body, &input) != nil {
		e = fail(400, "rest_invalid_json", "Invalid JSON body passed.")
	}
	if e == nil {
		f.complain(r.Method, route, r.URL.Query(), input)
		if !strings.HasSuffix(route, "/batch") { // what is in a batch is not looked at
			e = invalid(shape(r.Method, route), r.URL.Query(), input)
		}
	}
	status, value := 0, any(nil)
	if e == nil {
		status, value, e = f.route(r.Method, route, r.URL.Query(), input)
	}
	switch {
	case e == nil:
		reply(w, status, onlyFields(value, r.URL.Query().Get("_fields")))
	case e.code == "":
		page(w, e.status, http.StatusText(e.status))
	default:
		reply(w, e.status, e.body())
	}
}
