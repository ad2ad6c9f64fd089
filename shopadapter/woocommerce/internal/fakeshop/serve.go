package fakeshop

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
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

func noRoute() *failure {
	return fail(404, "rest_no_route", "No route was found matching the URL and request method.")
}

func page(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, "<!doctype html><title>"+text+"</title>")
}

func reply(w http.ResponseWriter, status int, value any, e *failure) {
	if e != nil {
		status, value = e.status, e.body()
	}
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
		reply(w, http.StatusOK, onlyFields(index, query.Get("_fields")), nil)
	case !isAPI && (f.Soon == "site" || f.Soon == "store" && strings.HasPrefix(local, "/product/")):
		page(w, http.StatusOK, "A shop</title><meta name='woo-coming-soon-page' content='yes'><title>")
	case strings.HasPrefix(local, "/product/"):
		page(w, http.StatusOK, "A product")
	case f.Bare && f.Nginx && f.Leads && local != "/":
		w.Header().Set("Location", f.Base+"/")
		page(w, http.StatusMovedPermanently, "Moved")
	case f.Bare && f.Nginx, local == "/":
		page(w, http.StatusOK, `A shop</title><link rel="stylesheet" href="/wp-content/themes/storefront/style.css"><title>`)
	case !isAPI || f.Bare:
		page(w, http.StatusNotFound, "Page not found")
	case f.Without:
		reply(w, 0, nil, noRoute())
	case f.Blocked:
		reply(w, 0, nil, fail(403, "rest_forbidden", "REST API restricted to authenticated users."))
	default:
		f.serveAPI(w, r, route, body)
	}
}

// serveAPI answers a request of the API, and holds it against the schemas.
func (f *Shop) serveAPI(w http.ResponseWriter, r *http.Request, route string, body []byte) {
	var input map[string]any
	query := r.URL.Query()
	e := f.authenticate(r)
	if e == nil && len(body) > 0 && json.Unmarshal(body, &input) != nil {
		e = fail(400, "rest_invalid_json", "Invalid JSON body passed.")
	}
	status, value := 0, any(nil)
	if e == nil {
		if !f.lenient {
			f.Mu.Lock()
			for _, complaint := range complaints(r.Method, route, query, input) {
				f.complaints[complaint]++
			}
			f.Mu.Unlock()
		}
		status, value, e = f.route(r.Method, route, query, input)
	}
	if e != nil && e.code == "" {
		page(w, e.status, http.StatusText(e.status))
		return
	}
	reply(w, status, onlyFields(value, query.Get("_fields")), e)
}

// authenticate takes Basic over https, and only signatures over http. A key that it does not know
// may do nothing; one with a wrong secret, or one that may only read and writes, is told so with
// the same code.
func (f *Shop) authenticate(r *http.Request) *failure {
	wrong := func(text string) *failure { return fail(401, "woocommerce_rest_authentication_error", text) }
	none := fail(401, faultCannotView, "Sorry, you cannot list resources.")
	f.Mu.Lock()
	defer f.Mu.Unlock()
	query := r.URL.Query()
	key, secret, basic := r.BasicAuth()
	seconds, _ := strconv.ParseInt(query.Get("oauth_timestamp"), 10, 64)
	switch signed := r.URL.Scheme == "http"; {
	case f.Broken:
		return none
	case signed && query.Get("oauth_consumer_key") != Key:
		return wrong("Consumer key is invalid.")
	case signed && f.nonces[query.Get("oauth_nonce")]:
		return wrong("Invalid nonce - nonce has already been used.")
	case signed && !f.signedWell(r, query):
		return wrong("Invalid signature - provided signature does not match.")
	case signed && time.Since(time.Unix(seconds, 0)).Abs() > 15*time.Minute:
		return wrong("Invalid timestamp.")
	case !signed && (!basic || key != Key):
		return none
	case !signed && secret != Secret:
		return wrong("Consumer secret is invalid.")
	}
	f.nonces[query.Get("oauth_nonce")] = query.Has("oauth_nonce")
	if f.Powerless {
		return none
	}
	if f.ReadOnly && r.Method != http.MethodGet {
		return wrong("The API key provided does not have write permissions.")
	}
	return nil
}

// signedWell checks a signature the way WooCommerce does: over the site's own address, for every
// request.
func (f *Shop) signedWell(r *http.Request, query url.Values) bool {
	escape := func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }
	var pairs []string
	for name, values := range query {
		if name != "oauth_signature" {
			pairs = append(pairs, escape(name)+"="+escape(values[0]))
		}
	}
	slices.Sort(pairs)
	base := r.Method + "&" + escape(f.Base+f.local(r.URL.Path)) + "&" + escape(strings.Join(pairs, "&"))
	mac := hmac.New(sha256.New, []byte(Secret+"&"))
	mac.Write([]byte(base))
	return query.Get("oauth_signature_method") == "HMAC-SHA256" &&
		base64.StdEncoding.EncodeToString(mac.Sum(nil)) == query.Get("oauth_signature")
}
