package config

import (
	"strings"
	"testing"
)

// What was an adapter's own setting, and is every shop's now, is read under both names.
func TestRenamed(t *testing.T) {
	for name, tt := range map[string]struct {
		process []string
		want    string
		warned  bool
	}{
		"the name of before": {[]string{"PUBSYNC_HTTP_PRICES=net"}, "net", true},
		"the name of now":    {[]string{"PUBSYNC_SHOP_PRICES=net"}, "net", false},
		"both":               {[]string{"PUBSYNC_HTTP_PRICES=net", "PUBSYNC_SHOP_PRICES=gross"}, "gross", true},
	} {
		e := Read(append(tt.process, "PUBSYNC_SHOP_ADAPTER=http", "PUBSYNC_HTTP_URL=https://shop.example.com",
			"PUBSYNC_PRICE_VAT_PERCENT=21"), nil)
		c, faults := Load(e, ToLook)
		if warned := strings.Contains(strings.Join(c.Warnings, " "), "called PUBSYNC_SHOP_PRICES now"); len(faults) > 0 ||
			c.Adapter["PRICES"] != tt.want || warned != tt.warned {
			t.Errorf("%s: %v %q, warnings %q, want %q", name, faults, c.Adapter["PRICES"], c.Warnings, tt.want)
		}
	}
}
