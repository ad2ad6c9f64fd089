package fakeshop

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
func (f *Shop) authenticate(r *http.Request) *failure {
	wrong := fail(401, faultWrongSecret, "Consumer secret is invalid.")
	none := fail(401, faultCannotView, "Sorry, you cannot list resources.")
	f.Mu.Lock()
	defer f.Mu.Unlock()
	if f.Broken {
		return none
	}
	if r.URL.Scheme == "http" {
		query := r.URL.Query()
		switch {
		case query.Get("oauth_consumer_key") != Key:
			return fail(401, faultWrongSecret, "Consumer key is invalid.")
		case f.nonces[query.Get("oauth_nonce")]:
			return fail(401, faultWrongSecret, "Invalid nonce - nonce has already been used.")
		case !f.signedWell(r, query):
			return fail(401, faultWrongSecret, "Invalid signature - provided signature does not match.")
		case !timely(query):
			return fail(401, faultWrongSecret, "Invalid timestamp.")
		}
		f.nonces[query.Get("oauth_nonce")] = true
	} else {
		key, secret, ok := r.BasicAuth()
		switch {
		case !ok || key != Key:
			return none
		case secret != Secret:
			return wrong
		}
	}
	if f.Powerless {
		return none
	}
	if f.ReadOnly && r.Method != http.MethodGet {
		return fail(401, faultWrongSecret, "The API key provided does not have write permissions.")
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
func (f *Shop) signedWell(r *http.Request, query url.Values) bool {
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
	mac := hmac.New(sha256.New, []byte(Secret+"&"))
	mac.Write([]byte(base))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil)) == query.Get("oauth_signature")
}
