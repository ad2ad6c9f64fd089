package rest

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter/internal/percent"
)

// signed is query with the parameters of OAuth 1.0a (RFC 5849, HMAC-SHA256, no token) for one
// request, which no other may use. address is the request's without a query.
func signed(method, address string, query url.Values, key, secret string, now time.Time) url.Values {
	return signedWith(method, address, query, key, secret, strconv.FormatInt(now.Unix(), 10), rand.Text())
}

func signedWith(method, address string, query url.Values, key, secret, timestamp, nonce string) url.Values {
	all := url.Values{
		"oauth_consumer_key": {key}, "oauth_nonce": {nonce}, "oauth_signature_method": {"HMAC-SHA256"},
		"oauth_timestamp": {timestamp},
	}
	for name, values := range query {
		all[name] = values
	}
	mac := hmac.New(sha256.New, []byte(secret+"&"))
	mac.Write([]byte(signatureBase(method, address, all)))
	all.Set("oauth_signature", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return all
}

// signatureBase is the text that is signed: parameters in the order of their names, each encoded,
// and the whole encoded once more.
func signatureBase(method, address string, query url.Values) string {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(query)) {
		for _, value := range slices.Sorted(slices.Values(query[name])) {
			pairs = append(pairs, percent.Encode(name)+"="+percent.Encode(value))
		}
	}
	return method + "&" + percent.Encode(address) + "&" + percent.Encode(strings.Join(pairs, "&"))
}
