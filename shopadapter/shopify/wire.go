package shopify

import (
	"net/http"

	"github.com/pubsync/pubsync/shopadapter/jsonlimit"
)

// limits are what the answer may hold. A description alone may be half a megabyte, and a write
// shows it twice; a page of two hundred variants has some four thousand elements. What is refused
// of a product is told variant by variant.
func (r request) limits() jsonlimit.Limits {
	return jsonlimit.Limits{Bytes: 4 << 20, Elements: 20_000 + 20*r.variants, Depth: 20}
}

// authorize adds to a request's header what Shopify asks for.
func authorize(token string) func(http.Header) {
	return func(h http.Header) {
		h.Set("Accept", "application/json")
		h.Set("X-Shopify-Access-Token", token)
		if h.Get("User-Agent") == "" {
			h.Set("User-Agent", "pubsync")
		}
	}
}
