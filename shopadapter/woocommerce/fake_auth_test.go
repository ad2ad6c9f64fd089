package woocommerce

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// authenticate takes Basic over https, and only signatures over http. A key it does not know may do
// nothing; one with a wrong secret, or one that may only read and writes, is told so with the same
// code.
func (f *fakeShop) authenticate(r *http.Request) *failure {
	wrong := fail(401, codeWrongSecret, "Consumer secret is invalid.")
	none := fail(401, codeCannotView, "Sorry, you cannot list resources.")
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.broken {
		return none
	}
	if r.URL.Scheme == "http" {
		query := r.URL.Query()
		switch {
		case query.Get("oauth_consumer_key") != testKey:
			return fail(401, codeWrongSecret, "Consumer key is invalid.")
		case f.nonces[query.Get("oauth_nonce")]:
			return fail(401, codeWrongSecret, "Invalid nonce - nonce has already been used.")
		case !f.signedWell(r, query):
			return fail(401, codeWrongSecret, "Invalid signature - provided signature does not match.")
		case !timely(query):
			return fail(401, codeWrongSecret, "Invalid timestamp.")
		}
		f.nonces[query.Get("oauth_nonce")] = true
	} else {
		key, secret, ok := r.BasicAuth()
		switch {
		case !ok || key != testKey:
			return none
		case secret != testSecret:
			return wrong
		}
	}
	if f.readOnly && r.Method != http.MethodGet {
		return fail(401, codeWrongSecret, "The API key provided does not have write permissions.")
	}
	return nil
}

// timely tells whether a request was signed within a quarter of an hour.
func timely(query url.Values) bool {
	seconds, err := strconv.ParseInt(query.Get("oauth_timestamp"), 10, 64)
	return err == nil && time.Since(time.Unix(seconds, 0)).Abs() <= 15*time.Minute
}

// signedWell checks a signature the way WooCommerce does: over the site's own address, for every
// request.
func (f *fakeShop) signedWell(r *http.Request, query url.Values) bool {
	if query.Get("oauth_signature_method") != "HMAC-SHA256" {
		return false
	}
	escape := func(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }
	var pairs []string
	for name, values := range query {
		if name != "oauth_signature" {
			pairs = append(pairs, escape(name)+"="+escape(values[0]))
		}
	}
	slices.Sort(pairs)
	base := r.Method + "&" + escape(f.site()+f.local(r.URL.Path)) + "&" + escape(strings.Join(pairs, "&"))
	mac := hmac.New(sha256.New, []byte(testSecret+"&"))
	mac.Write([]byte(base))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil)) == query.Get("oauth_signature")
}
