package kit_test

import (
	"testing"

	"github.com/pubsync/pubsync/shopadapter/kit"
)

func TestStorefront(t *testing.T) {
	template := kit.Storefront("https://shop.example/{slug}?of={handle}")
	if got := template.Page("a/b c"); got != "https://shop.example/a%2Fb%20c?of=a%2Fb%20c" || template.Page("") != "" {
		t.Errorf("the page is %q, without a part %q", got, template.Page(""))
	}
	for address, good := range map[string]bool{
		"https://shop.example/product/{slug}": true, "http://localhost:3000/{slug}?x=1": true,
		"https://shop.example/": false, "shop.example/{slug}": false, "ftp://shop.example/{slug}": false,
		"https:///{slug}": false, "http://a b/{slug}": false,
	} {
		if err := new(kit.Storefront).EnvDecode(t.Context(), address); (err == nil) != good {
			t.Errorf("%s: %v", address, err)
		}
	}
}
