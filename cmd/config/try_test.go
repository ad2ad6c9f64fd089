package config

import (
	"strings"
	"testing"
)

func TestTry(t *testing.T) {
	c := &Config{Values: map[string]string{"PUBSYNC_PRICE_MARKUP_PERCENT": "20", "PUBSYNC_PRICE_VAT_PERCENT": "21"}}
	for _, tt := range []struct {
		name  string
		set   map[string]string
		want  string // the markup and the VAT
		fault string
	}{
		{"nothing", nil, "20 21", ""},
		{"one", map[string]string{"PUBSYNC_PRICE_MARKUP_PERCENT": "35"}, "35 21", ""},
		{"the default", map[string]string{"PUBSYNC_PRICE_VAT_PERCENT": ""}, "20 0", ""},
		{"a fault", map[string]string{"PUBSYNC_PRICE_ENDING": "95"}, "", "PUBSYNC_PRICE_ENDING"},
		{"half of it", map[string]string{"PUBSYNC_PRICE_SHIPPING": "add"}, "", "PUBSYNC_SHIPPING_COUNTRY"},
		{"another setting", map[string]string{"PUBSYNC_STORE_PATH": "/x"}, "", "PUBSYNC_STORE_PATH: decides neither"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rules, _, err := c.Try(tt.set)
			if tt.fault != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fault) {
					t.Fatalf("error %v, want one of %s", err, tt.fault)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := rules.Price.Markup.String() + " " + rules.Price.VAT.String(); got != tt.want {
				t.Errorf("markup and VAT %s, want %s", got, tt.want)
			}
		})
	}
	if got := c.Values["PUBSYNC_PRICE_MARKUP_PERCENT"]; got != "20" {
		t.Errorf("the configuration has a markup of %s now, want 20", got)
	}
}
