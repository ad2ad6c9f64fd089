// Each fault of the configuration is named with its variable, and no value is shown.

package main_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// marker is part of every bad value, so that an echo of one shows.
const marker = "S3NTINEL"

func TestEveryConfigurationFaultIsListedAtOnceAndNoValueIsEchoed(t *testing.T) {
	t.Parallel()
	bad := settings{}.with("MARKETPLACE_URL", "ftp://"+marker+".example", "MARKETPLACE_LANGUAGES", marker,
		"WEBHOOK_LISTEN", marker, "WEBHOOK_URL", "https://localhost/"+marker, "SWEEP_SCHEDULE", marker, "RESYNC_SCHEDULE",
		"TZ="+marker, "REFRESH_AFTER", marker, "ADMIN_LISTEN", "0.0.0.0:"+marker, "SHOP_ADAPTER", "http", "SHOP_CONCURRENCY",
		marker, "SHOP_KEEP", marker, "PRICE_BASE", marker, "PRICE_MARKUP_PERCENT", marker, "PRICE_ADD", marker,
		"PRICE_VAT_PERCENT", "-"+marker, "PRICE_ENDING", marker, "PRICE_MIN_MARGIN_PERCENT", marker, "PRICE_MSRP_VAT", marker,
		"PRICE_NO_MSRP", marker, "PRICE_NO_MSRP_MARKUP_PERCENT", marker, "STOCK_BUFFER", "-1"+marker, "ON_REMOVED", marker,
		"ON_DRIFT", marker,
		"BRAKE_REMOVED_PERCENT", marker, "BRAKE_PRICE_PERCENT", marker,
		"BRAKE_FIRST_PRICE", marker,
		"FAIL_AFTER", marker, "LOG_LEVEL", marker, "LOG_FORMAT", marker, "HTTP_URL", marker,
		"ALERT_URL", marker, "ALERT_MAIL", "smtp://u:"+marker+"@host/?from="+marker)
	want := append(slices.Sorted(maps.Keys(bad)), "PUBSYNC_MARKETPLACE_TOKEN", "PUBSYNC_HTTP_TOKEN")
	want = slices.DeleteFunc(want, func(name string) bool { return name == "PUBSYNC_SHOP_ADAPTER" })
	r := call(t, t.TempDir(), bad, "run")
	if r.code != 2 {
		t.Errorf("exit %d, want 2", r.code)
	}
	for _, name := range want {
		if !strings.Contains(r.stderr, name) && name != "PUBSYNC_HTTP_TOKEN" {
			t.Errorf("%s is not named", name)
		}
	}
	if strings.Contains(r.stderr+r.stdout, marker) {
		t.Errorf("a value is echoed:\n%s", r.stderr)
	}
	if r.stdout != "" {
		t.Errorf("standard output: %s", r.stdout)
	}
}
