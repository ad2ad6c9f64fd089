package config

import "testing"

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
