package woocommerce

import (
	"net/url"
	"testing"
)

// The vector was computed by hand from RFC 5849, section 3.4.1, with the values given here.
func TestSignatureBase(t *testing.T) {
	query := url.Values{"sku": {"UNI-ü/1, a"}, "per_page": {"100"}, "oauth_nonce": {"n"}, "discount": {"50%25"}}
	const want = "GET&http%3A%2F%2F127.0.0.1%3A8090%2Fwp-json%2Fwc%2Fv3%2Fproducts&" +
		"discount%3D50%252525%26oauth_nonce%3Dn%26per_page%3D100%26sku%3DUNI-%25C3%25BC%252F1%252C%2520a"
	if got := signatureBase("GET", "http://127.0.0.1:8090/wp-json/wc/v3/products", query); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	got := signed("GET", "http://a.example/x", url.Values{"a": {"1"}}, "ck", "cs")
	if got.Get("oauth_signature") == "" || got.Get("oauth_consumer_key") != "ck" || got.Get("a") != "1" ||
		len(got["oauth_signature"]) != 1 {
		t.Errorf("the query is %v, want one signature, the key and the parameter", got)
	}
}
