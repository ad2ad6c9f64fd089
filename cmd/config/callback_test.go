package config

import (
	"net/url"
	"strings"
	"testing"
)

// TestJudgeCallback holds the rules for PUBSYNC_WEBHOOK_URL: what will not work is a fault, what
// may not work is a warning.
func TestJudgeCallback(t *testing.T) {
	const fault, warning, good = "fault", "warning", ""
	for address, want := range map[string]string{
		"https://hooks.shop.example/webhooks":         good,
		"https://8.8.8.8/webhooks":                    good,
		"https://wwwshop.example/":                    good,
		"https://internal.shop.example/webhooks":      good,
		"https://localhost.shop.example/webhooks":     good,
		"https://www.shop.nl":                         fault,
		"https://WWW.Shop.nl.:443//?a=b":              fault,
		"https://www.shop.nl/hooks/webhooks":          warning,
		"https://localhost/webhooks":                  fault,
		"http://0.0.0.0/webhooks":                     fault,
		"https://localhost./webhooks":                 fault,
		"https://shop.localhost/webhooks":             fault,
		"http://[::]/webhooks":                        fault,
		"http://[::ffff:0.0.0.0]/webhooks":            fault,
		"https://hooks.shop.internal/webhooks":        fault,
		"https://internal/webhooks":                   fault,
		"https://shop.example/webhooks/internal":      fault,
		"https://shop.example/webhooks?to=internal":   fault,
		"http://127.0.0.1:8080/webhooks":              warning,
		"http://[::ffff:127.0.0.1]/webhooks":          warning,
		"http://10.0.0.8/webhooks":                    warning,
		"http://[fd00::1]/webhooks":                   warning,
		"http://[fe80::1%25eth0]/webhooks":            warning,
		"https://shop.example/webhooks/internal-test": good,
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		f, w := judgeCallback(u)
		got := good
		switch {
		case f != "" && w != "":
			got = "both"
		case f != "":
			got = fault
		case w != "":
			got = warning
		}
		if got != want {
			t.Errorf("%s: %q, want %q (%s%s)", address, got, want, f, w)
		}
		if u.Hostname() != "" && strings.Contains(f+w, "shop.") {
			t.Errorf("%s: the value is echoed: %s%s", address, f, w)
		}
	}
}
