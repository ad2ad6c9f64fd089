// Each fault of the configuration is named with its variable, and no value is shown.

package main_test

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
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

func TestSettingsFromFiles(t *testing.T) {
	s := open(t, sandbox.Options{})
	id := s.lamps(1)[0]
	write := func(name, content string) string {
		path := filepath.Join(s.dir, name)
		if err := writeFile(path, content); err != nil {
			t.Fatal(err)
		}
		return path
	}
	whole := s.env
	// Everything comes from two files, the later of which wins, the secrets from files of their
	// own; the process's environment wins over all.
	first := write("first.env",
		"# a comment\nPUBSYNC_SHOP_ADAPTER=catalog\nPUBSYNC_PRICE_ADD=1\nPUBSYNC_STOCK_BUFFER=2\nOTHER=thing\n"+
			"PUBSYNC_MARKETPLACE_URL='"+s.market.URL+"'\n")
	second := write("second.env",
		"export PUBSYNC_SHOP_ADAPTER=http\nPUBSYNC_PRICE_ADD=2\nPUBSYNC_HTTP_URL=\""+s.shop.server.URL+
			"\"\nPUBSYNC_HTTP_TOKEN_FILE="+write("shop-token", shopToken+"\n")+"\n")
	s.env = settings{}.with("MARKETPLACE_TOKEN_FILE", write("market-token", marketToken+"\r\n"), "STOCK_BUFFER", "3",
		"STORE_PATH", whole["PUBSYNC_STORE_PATH"])
	s.imported("--env-file", first, "--env-file", second)
	v := s.shop.product(t, id).Variants[0]
	if v.Price != "22.00" || v.Quantity != 9 {
		t.Errorf("price %s and quantity %d, want 22.00 (the later file's) and 9 (the environment's)", v.Price, v.Quantity)
	}

	broken := write("broken.env", "PUBSYNC_MARKETPLACE_TOKEN=\""+marker+"\nPUBSYNC_HTTP_TOKEN="+marker+" \"\"\n=\n")
	if r := call(t, s.dir, settings{}, "--env-file", broken, "status"); r.code != 2 ||
		strings.Contains(r.stderr, marker) {
		t.Errorf("a broken file: exit %d, %s", r.code, r.stderr)
	}
	empty := write("empty", "\n")
	if r := call(t, s.dir, settings{}.with("MARKETPLACE_TOKEN_FILE", empty), "status"); r.code != 2 ||
		!strings.Contains(r.stderr, "PUBSYNC_MARKETPLACE_TOKEN_FILE") {
		t.Errorf("an empty secret: exit %d, %s", r.code, r.stderr)
	}
}
