package woocommerce

import "testing"

func TestShopAddress(t *testing.T) {
	for _, tt := range []struct{ name, value, want string }{
		{"bare", "https://a.example", "https://a.example"},
		{"slash", "https://a.example/shop/", "https://a.example/shop"},
		{"the API's", "https://a.example/shop/wp-json/wc/v3/", "https://a.example/shop"},
		{"capitals and a port", "HTTP://A.Example:80/Shop", "http://a.example/Shop"},
		{"another port", "http://127.0.0.1:8090", "http://127.0.0.1:8090"},
		{"WordPress's", "https://a.example/wp-json", "https://a.example"},
	} {
		if got := shopAddress(tt.value); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}
