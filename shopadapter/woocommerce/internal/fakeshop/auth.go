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
	switch signed := r.URL.Scheme == "http"; {
	case f.Broken:
		return none
	case signed && query.Get("oauth_consumer_key") != Key:
		return wrong("Consumer key is invalid.")
	case signed && f.nonces[query.Get("oauth_nonce")]:
		return wrong("Invalid nonce - nonce has already been used.")
	case signed && !f.signedWell(r, query):
		return wrong("Invalid signature - provided signature does not match.")
	case signed && !timely(query):
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

// timely reports whether a request was signed within a quarter of an hour.
func timely(query url.Values) bool {
	seconds, err := strconv.ParseInt(query.Get("oauth_timestamp"), 10, 64)
	return err == nil && time.Since(time.Unix(seconds, 0)).Abs() <= 15*time.Minute
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
