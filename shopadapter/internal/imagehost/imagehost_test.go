package imagehost

import (
	"slices"
	"testing"
)

// A shop on this machine, or inside the merchant's network, is given the pictures that stand beside
// it.
func TestBeside(t *testing.T) {
	for shop, want := range map[string][]string{
		"https://shop.example.com":    {"shop.example.com"}, // where it is public this allows nothing more
		"http://127.0.0.1:8090":       {"localhost", "127.0.0.1", "::1", "127.0.0.1"},
		"http://localhost/shop":       {"localhost", "127.0.0.1", "::1", "localhost"},
		"http://[::1]:8090":           {"localhost", "127.0.0.1", "::1", "::1"},
		"http://10.0.0.5":             {"10.0.0.5"},
		"https://93.184.216.34/store": nil,
		"":                            nil,
	} {
		if got := beside(shop); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", shop, got, want)
		}
	}
}
