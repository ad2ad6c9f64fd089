package vendure

import (
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/settingtest"
)

func TestSettings(t *testing.T) {
	settingtest.Run(t, func(setting, value string) error {
		_, err := Open(shopadapter.Options{Settings: settingsWith(setting, value)})
		return err
	}, []settingtest.Row{
		{"origin", "URL", "https://shop.example", ""},
		{"origin with a port", "URL", "http://127.0.0.1:3000/", ""},
		{"full address", "URL", "https://shop.example/api/admin-api", ""},
		{"no address", "URL", "", "URL: is required"},
		{"no scheme", "URL", "shop.example", "must be an absolute"},
		{"another scheme", "URL", "ftp://shop.example", "must be an absolute"},
		{"user name in the address", "URL", "https://me:hunter2@shop.example", "must not contain a user name"},
		{"query", "URL", "https://shop.example/?token=hunter2", "must not contain a query"},
		{"no user name", "USERNAME", "", "USERNAME: is required"},
		{"no password", "PASSWORD", "", "PASSWORD: is required"},
		{"storefront", "STOREFRONT_URL", "https://shop.example/p/{slug}?ref=1", ""},
		{"storefront without slug", "STOREFRONT_URL", "https://shop.example/p/", "with {slug} in it"},
		{"relative storefront", "STOREFRONT_URL", "/p/{slug}", "with {slug} in it"},
		{"image hosts", "IMAGE_HOSTS", "images.lan, 10.0.0.5:8080,[::1]:80", ""},
		{"an address as image host", "IMAGE_HOSTS", "http://images.lan", "host names or addresses"},
	})
}
