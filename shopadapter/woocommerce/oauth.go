package woocommerce

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
func signed(method, address string, query url.Values, key, secret string) url.Values {
	all := url.Values{
		"oauth_consumer_key": {key}, "oauth_nonce": {rand.Text()}, "oauth_signature_method": {"HMAC-SHA256"},
		"oauth_timestamp": {strconv.FormatInt(time.Now().Unix(), 10)},
	}
	maps.Copy(all, query)
	mac := hmac.New(sha256.New, []byte(secret+"&"))
	mac.Write([]byte(signatureBase(method, address, all)))
	all.Set("oauth_signature", base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	return all
}

// signatureBase is the text that is signed: the parameters stand in the order of their names,
// each encoded, and the whole is encoded once more.
func signatureBase(method, address string, parameters url.Values) string {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		for _, value := range slices.Sorted(slices.Values(parameters[name])) {
			pairs = append(pairs, percent.Encode(name)+"="+percent.Encode(value))
		}
	}
	return method + "&" + percent.Encode(address) + "&" + percent.Encode(strings.Join(pairs, "&"))
}
