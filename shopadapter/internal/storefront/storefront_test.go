package storefront_test

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter/internal/storefront"
)

func TestPage(t *testing.T) {
	template := storefront.Template{Address: "https://shop.example/{slug}?of={slug}", Mark: "{slug}"}
	for part, want := range map[string]string{
		"red-cup": "https://shop.example/red-cup?of=red-cup",
		"a/b c":   "https://shop.example/a%2Fb%20c?of=a%2Fb%20c",
		"":        "",
	} {
		if got := template.Page(part); got != want {
			t.Errorf("the page of %q is %q, not %q", part, got, want)
		}
	}
}

func TestValid(t *testing.T) {
	valid := storefront.Valid("{slug}", "https://shop.example/product/{slug}")
	for _, good := range []string{"https://shop.example/product/{slug}", "http://localhost:3000/{slug}?x=1"} {
		if err := valid(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{
		"https://shop.example/", "shop.example/{slug}", "ftp://shop.example/{slug}",
		"https:///{slug}", "http://a b/{slug}",
	} {
		if err := valid(bad); err == nil || !strings.Contains(err.Error(), "https://shop.example/product/{slug}") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
