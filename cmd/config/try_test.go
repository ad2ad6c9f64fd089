package config

import (
	"fmt"
	"strings"
	"testing"
)

func TestTry(t *testing.T) {
	c := &Config{Values: map[string]string{"PUBSYNC_PRICE_MARKUP_PERCENT": "20", "PUBSYNC_PRICE_VAT_PERCENT": "21"}}
	for _, tt := range []struct {
		name string
		set  map[string]string
		want string // the markup and the VAT, or the fault
	}{
		{"nothing", nil, "20 21"},
		{"one", map[string]string{"PUBSYNC_PRICE_MARKUP_PERCENT": "35"}, "35 21"},
		{"the default", map[string]string{"PUBSYNC_PRICE_VAT_PERCENT": ""}, "20 0"},
		{"a fault", map[string]string{"PUBSYNC_PRICE_ENDING": "95"}, "PUBSYNC_PRICE_ENDING: "},
		{"half of it", map[string]string{"PUBSYNC_PRICE_SHIPPING": "add"}, "PUBSYNC_SHIPPING_COUNTRY: "},
		{"another setting", map[string]string{"PUBSYNC_STORE_PATH": "/x"}, "PUBSYNC_STORE_PATH: decides neither"},
	} {
		rules, _, err := c.Try(tt.set)
		got := fmt.Sprint(rules.Price.Markup, " ", rules.Price.VAT)
		if err != nil {
			got = err.Error()
		}
		if got != tt.want && (err == nil || !strings.HasPrefix(got, tt.want)) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := c.Values["PUBSYNC_PRICE_MARKUP_PERCENT"]; got != "20" {
		t.Errorf("the configuration has a markup of %s now, want 20", got)
	}
}
