package shopadapter_test

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

func TestURL(t *testing.T) {
	for _, tt := range []struct {
		name, value string
		want        string // in the error; "" for none
	}{
		{"https", "https://shop.example.com", ""},
		{"a path and a port", "http://127.0.0.1:8080/a/b/", ""},
		{"IPv6", "http://[::1]:8080", ""},
		{"empty", "", "absolute"},
		{"relative", "/products", "absolute"},
		{"no host", "https:///products", "absolute"},
		{"a port alone", "https://:8080", "absolute"},
		{"another scheme", "ftp://shop.example.com", "absolute"},
		{"not an address", "http://shop example", "absolute"},
		{"no slashes", "https:shop", "absolute"},
		{"a password", "https://ann:hunter2@shop.example.com", "user name"},
		{"a query", "https://shop.example.com/?hunter2", "query"},
		{"an empty query", "https://shop.example.com/?", "query"},
		{"a fragment", "https://shop.example.com/#hunter2", "query"},
		{"an empty fragment", "https://shop.example.com/#", "query"},
	} {
		check(t, tt.name, new(shopadapter.URL).EnvDecode(t.Context(), tt.value), tt.want)
	}
}

func TestToken(t *testing.T) {
	for _, tt := range []struct{ name, value, want string }{
		{"plain", "shpat_0123\"456789", ""},
		{"two lines", "hunter2\nX-Evil: 1", "header"},
		{"a space at its end", "hunter2 ", "header"},
		{"not ASCII", "hunter2é", "header"},
		{"a control character", "hunter2\x7f", "header"},
	} {
		check(t, tt.name, new(shopadapter.Token).EnvDecode(t.Context(), tt.value), tt.want)
	}
}

// check holds the error of a setting to what is wanted: the words, and never the value.
func check(t *testing.T, name string, err error, want string) {
	t.Helper()
	switch {
	case (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want):
		t.Errorf("%s: got %v, want %q", name, err, want)
	case err != nil && strings.Contains(err.Error(), "hunter2"):
		t.Errorf("%s: got %v, want an error without the value", name, err)
	}
}

func TestCurrency(t *testing.T) {
	for value, want := range map[string]string{
		"EUR": "", "usd": "", "euro": "three letters", "€": "three letters", "E1R": "three letters",
	} {
		check(t, value, new(shopadapter.Currency).EnvDecode(t.Context(), value), want)
	}
}
