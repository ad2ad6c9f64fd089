package config

import (
	"slices"
	"strings"
	"testing"
)

func TestPlainPublic(t *testing.T) {
	for address, want := range map[string]bool{
		"http://api.market.example": true, "HTTP://API.market.example:8080/v1": true, "http://93.184.215.14": true,
		"http://[2606:4700:4700::1111]:80/": true,
		"http://market.example.":            true, "http://127.0.0.1.nip.io": true, "http://localhost.example": true,

		"https://api.market.example": false, "http://127.0.0.1:8080": false, "http://localhost": false,
		"http://shop.localhost:80": false, "http://[::1]": false,
		"http://10.1.2.3": false, "http://192.168.1.2:9000/": false, "http://172.16.0.9": false, "http://169.254.3.4": false,
		"http://[fd00::7]": false,
		"http://shop":      false, "http://vendure:3000/admin-api": false, "http://nas.local": false,
		"http://host.docker.internal": false,
		"http://shop.default.svc":     false, "http://shop.default.svc.cluster.local": false, "http://shop.lan": false,
		"":           false,
		"no address": false,
	} {
		if got := plainPublic(address); got != want {
			t.Errorf("%s: %t, want %t", address, got, want)
		}
	}
}

// Each address that gets a token in plain text is warned of, once, and nothing else is.
func TestPlainHTTPIsWarnedOf(t *testing.T) {
	for _, tt := range []struct {
		name string
		set  []string
		want []string
	}{
		{"https", []string{"MARKETPLACE_URL", "https://market.example", "HTTP_URL", "https://shop.example"}, nil},
		{"loopback", []string{"MARKETPLACE_URL", "http://127.0.0.1:1", "HTTP_URL", "http://localhost:2"}, nil},
		{
			"both",
			[]string{"MARKETPLACE_URL", "http://market.example", "HTTP_URL", "http://shop.example"},
			[]string{"PUBSYNC_MARKETPLACE_URL", "PUBSYNC_HTTP_URL"},
		},
		{
			"a shop that gets no token",
			[]string{"MARKETPLACE_URL", "https://market.example", "HTTP_URL", "http://shop.example", "HTTP_TOKEN", ""},
			nil,
		},
	} {
		env := []string{"PUBSYNC_MARKETPLACE_TOKEN=market-t0ken", "PUBSYNC_SHOP_ADAPTER=http"}
		if !slices.Contains(tt.set, "HTTP_TOKEN") {
			env = append(env, "PUBSYNC_HTTP_TOKEN=shop-t0ken")
		}
		for i := 0; i < len(tt.set); i += 2 {
			env = append(env, "PUBSYNC_"+tt.set[i]+"="+tt.set[i+1])
		}
		e, err := Read(env, nil)
		if err != nil {
			t.Fatal(err)
		}
		c, faults := Load(e, ToLook)
		if len(faults) > 0 {
			t.Fatalf("%s: %v", tt.name, faults)
		}
		var named []string
		for _, w := range c.Warnings {
			name, text, _ := strings.Cut(w, " ")
			if !strings.Contains(text, "https") || strings.Contains(text, "t0ken") {
				t.Errorf("%s: the warning is %q", tt.name, w)
			}
			named = append(named, name)
		}
		if !slices.Equal(named, tt.want) {
			t.Errorf("%s: warned of %v, want %v", tt.name, named, tt.want)
		}
	}
}
