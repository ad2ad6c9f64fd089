// Each fault of the configuration is named with its variable, and no value is shown.

package main_test

import (
	"maps"
	"net"
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

func TestConfigurationFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		set  []string
		args []string
		want string // in the error; "" for one that is let pass until something else fails
		code int
	}{
		{"no adapter", []string{"SHOP_ADAPTER", ""}, []string{"run", "--once"}, "PUBSYNC_SHOP_ADAPTER", 2},
		{"an unknown adapter", []string{"SHOP_ADAPTER", "magento"}, []string{"run", "--once"}, "PUBSYNC_SHOP_ADAPTER", 2},
		{"no token", []string{"MARKETPLACE_TOKEN", ""}, []string{"plan"}, "PUBSYNC_MARKETPLACE_TOKEN", 2},
		{"half a public app", []string{"OAUTH_CLIENT_ID", "app"}, []string{"plan"}, "PUBSYNC_OAUTH_CLIENT_SECRET", 2},
		{"half a public app, the rest", []string{"OAUTH_CLIENT_ID", "app"}, []string{"plan"}, "PUBSYNC_OAUTH_AUTH_URL", 2},
		{
			"a public app without an address",
			[]string{
				"OAUTH_CLIENT_ID", "app", "OAUTH_CLIENT_SECRET", "s3cret-of-the-app", "OAUTH_AUTH_URL",
				"https://auth.example",
			},
			[]string{"run"},
			"PUBSYNC_WEBHOOK_URL", 2,
		},
		{
			"a public app without a listener",
			[]string{
				"OAUTH_CLIENT_ID", "app", "OAUTH_CLIENT_SECRET", "s3cret-of-the-app", "OAUTH_AUTH_URL",
				"https://auth.example", "WEBHOOK_URL", "https://hooks.shop.example/webhooks",
			},
			[]string{"run"},
			"PUBSYNC_WEBHOOK_LISTEN", 2,
		},
		{
			"OAuth screens that are none",
			[]string{"OAUTH_AUTH_URL", "auth.example"},
			[]string{"status"},
			"PUBSYNC_OAUTH_AUTH_URL", 2,
		},
		{"scopes that are none", []string{"OAUTH_SCOPES", "account:read"}, []string{"status"}, "PUBSYNC_OAUTH_SCOPES", 2},
		{
			"a public app whose secret signs webhooks too",
			[]string{
				"MARKETPLACE_TOKEN", "", "OAUTH_CLIENT_ID", "app", "OAUTH_CLIENT_SECRET", "s3cret-of-the-app",
				"OAUTH_AUTH_URL", "https://auth.example", "WEBHOOK_URL", "https://hooks.shop.example/webhooks",
			},
			[]string{"plan"},
			"", 3,
		},
		{
			"a listener without a secret",
			[]string{"WEBHOOK_LISTEN", "127.0.0.1:0"},
			[]string{"run"},
			"PUBSYNC_WEBHOOK_LISTEN",
			2,
		},
		{
			"localhost as webhook address",
			[]string{"WEBHOOK_LISTEN", "127.0.0.1:0", "WEBHOOK_SECRET", "x", "WEBHOOK_URL", "https://localhost/webhooks"},
			[]string{"run"},
			"PUBSYNC_WEBHOOK_URL", 2,
		},
		{
			"a webhook address without a secret",
			[]string{"WEBHOOK_URL", "https://hooks.shop.example/webhooks"},
			[]string{"plan"},
			"PUBSYNC_WEBHOOK_URL", 2,
		},
		{
			"a webhook address that does not end in the path token",
			[]string{"WEBHOOK_PATH_TOKEN", "a-path-token", "WEBHOOK_URL", "https://hooks.shop.example/webhooks"},
			[]string{"plan"},
			"PUBSYNC_WEBHOOK_URL", 2,
		},
		{
			"a webhook address that ends in the path token",
			[]string{"WEBHOOK_PATH_TOKEN", "a-path-token", "WEBHOOK_URL", "https://hooks.shop.example/webhooks/a-path-token"},
			[]string{"run", "--once", "--patience", "1s"},
			"", 3,
		},
		{
			"internal",
			[]string{
				"WEBHOOK_LISTEN", "127.0.0.1:0", "WEBHOOK_SECRET", "x", "WEBHOOK_URL",
				"https://hooks.shop.internal/webhooks",
			},
			[]string{"run"},
			"PUBSYNC_WEBHOOK_URL", 2,
		},
		{
			"a bare www domain",
			[]string{"WEBHOOK_LISTEN", "127.0.0.1:0", "WEBHOOK_SECRET", "x", "WEBHOOK_URL", "https://www.example.com/"},
			[]string{"run"},
			"PUBSYNC_WEBHOOK_URL", 2,
		},
		{"no admin token off loopback", []string{"ADMIN_LISTEN", ":0"}, []string{"run"}, "PUBSYNC_ADMIN_TOKEN", 2},
		{"catalogue without an address", []string{"SHOP_ADAPTER", "catalog"}, []string{"run"}, "PUBSYNC_CATALOG_URL", 2},
		{
			"a schedule that never comes",
			[]string{"SWEEP_SCHEDULE", "0 0 31 2 *"},
			[]string{"run"},
			"PUBSYNC_SWEEP_SCHEDULE",
			2,
		},
		{
			"a schedule without sense",
			[]string{"RESYNC_SCHEDULE", "@every -5m"},
			[]string{"run"},
			"PUBSYNC_RESYNC_SCHEDULE",
			2,
		},
		{
			"a schedule with half a time zone",
			[]string{"SWEEP_SCHEDULE", "CRON_TZ=Europe/Amsterdam"},
			[]string{"run"},
			"PUBSYNC_SWEEP_SCHEDULE", 2,
		},
		{"an unknown variable", []string{"MARKETPLACE_TOKN", "x"}, []string{"status"}, "PUBSYNC_MARKETPLACE_TOKEN", 2},
		{"an unknown variable of an adapter", []string{"HTTP_ULR", "x"}, []string{"run", "--once"}, "PUBSYNC_HTTP_URL", 2},
		{
			"a variable that is cut off",
			[]string{"PRICE_MARKUP", "10"},
			[]string{"status"},
			"did you mean PUBSYNC_PRICE_MARKUP_PERCENT?", 2,
		},
		{
			"an ending without a point",
			[]string{"PRICE_ENDING", "95"},
			[]string{"status"},
			"PUBSYNC_PRICE_ENDING: has neither a dot nor a comma: did you mean .95?", 2,
		},
		{"an ending with a comma", []string{"PRICE_ENDING", ",95"}, []string{"status"}, "no store at", 5},
		{
			"a VAT that is a factor",
			[]string{"PRICE_VAT_PERCENT", "121"},
			[]string{"status"},
			"PUBSYNC_PRICE_VAT_PERCENT: is not from 0 to 50: it is a percentage", 2,
		},
		{"the highest VAT", []string{"PRICE_VAT_PERCENT", "50"}, []string{"status"}, "no store at", 5},
		{
			"a markup that leaves little",
			[]string{"PRICE_MARKUP_PERCENT", "-90.5"},
			[]string{"status"},
			"PUBSYNC_PRICE_MARKUP_PERCENT: is not from -90 to 1000: it is a percentage", 2,
		},
		{
			"a markup beyond all measure",
			[]string{"PRICE_MARKUP_PERCENT", "1001"},
			[]string{"status"},
			"PUBSYNC_PRICE_MARKUP_PERCENT: is not from -90 to 1000: it is a percentage", 2,
		},
		{
			"a markup without msrp beyond all measure",
			[]string{"PRICE_NO_MSRP_MARKUP_PERCENT", "1001"},
			[]string{"status"},
			"PUBSYNC_PRICE_NO_MSRP_MARKUP_PERCENT", 2,
		},
		{
			"tiers with a gap",
			[]string{"PRICE_TIERS", "0-10:120%,20-:50%"},
			[]string{"status"},
			"PUBSYNC_PRICE_TIERS: has no tier for a base from 10 to 20: did you mean 0-20?", 2,
		},
		{
			"drafts where there are none",
			[]string{"PUBLISH_AS", "draft", "SHOP_ADAPTER", "catalog"},
			[]string{"status"},
			"PUBSYNC_PUBLISH_AS: cannot be draft", 2,
		},
		{
			"costs of sending to nowhere",
			[]string{"PRICE_SHIPPING", "add"},
			[]string{"status"},
			"PUBSYNC_SHIPPING_COUNTRY: is required", 2,
		},
		{
			"the widest markups",
			[]string{"PRICE_MARKUP_PERCENT", "-90", "PRICE_NO_MSRP_MARKUP_PERCENT", "1000"},
			[]string{"status"},
			"no store at", 5,
		},
		{
			"bounds that are none: 3",
			[]string{"BRAKE_FIRST_PRICE", "3"},
			[]string{"status"},
			"PUBSYNC_BRAKE_FIRST_PRICE: is not two numbers, the lower one first, such as 0.5-3, or off", 2,
		},
		{
			"bounds that are none: 3-0.5",
			[]string{"BRAKE_FIRST_PRICE", "3-0.5"},
			[]string{"status"},
			"PUBSYNC_BRAKE_FIRST_PRICE: is not two numbers, the lower one first, such as 0.5-3, or off", 2,
		},
		{
			"bounds that are none: -3",
			[]string{"BRAKE_FIRST_PRICE", "-3"},
			[]string{"status"},
			"PUBSYNC_BRAKE_FIRST_PRICE: is not two numbers, the lower one first, such as 0.5-3, or off", 2,
		},
		{
			"bounds that are none: 0.5-",
			[]string{"BRAKE_FIRST_PRICE", "0.5-"},
			[]string{"status"},
			"PUBSYNC_BRAKE_FIRST_PRICE: is not two numbers, the lower one first, such as 0.5-3, or off", 2,
		},
		{
			"bounds that are none: 0.5-x",
			[]string{"BRAKE_FIRST_PRICE", "0.5-x"},
			[]string{"status"},
			"PUBSYNC_BRAKE_FIRST_PRICE: is not two numbers, the lower one first, such as 0.5-3, or off", 2,
		},
		{
			"bounds that are none: 1-2-3",
			[]string{"BRAKE_FIRST_PRICE", "1-2-3"},
			[]string{"status"},
			"PUBSYNC_BRAKE_FIRST_PRICE: is not two numbers, the lower one first, such as 0.5-3, or off", 2,
		},
		{
			"bounds that are none: 0.5-0.5",
			[]string{"BRAKE_FIRST_PRICE", "0.5-0.5"},
			[]string{"status"},
			"PUBSYNC_BRAKE_FIRST_PRICE: is not two numbers, the lower one first, such as 0.5-3, or off", 2,
		},
		{
			"bounds that are none: -1-3",
			[]string{"BRAKE_FIRST_PRICE", "-1-3"},
			[]string{"status"},
			"PUBSYNC_BRAKE_FIRST_PRICE: is not two numbers, the lower one first, such as 0.5-3, or off", 2,
		},
		{
			"bounds that are none: on",
			[]string{"BRAKE_FIRST_PRICE", "on"},
			[]string{"status"},
			"PUBSYNC_BRAKE_FIRST_PRICE: is not two numbers, the lower one first, such as 0.5-3, or off", 2,
		},
		{"bounds", []string{"BRAKE_FIRST_PRICE", "0-2.5"}, []string{"status"}, "no store at", 5},
		{"no bounds", []string{"BRAKE_FIRST_PRICE", "off"}, []string{"status"}, "no store at", 5},
		{"a test's variable", []string{"TEST_ANYTHING", "x"}, []string{"status"}, "PUBSYNC_TEST_ANYTHING", 2},
		{
			"_FILE of what is no secret",
			[]string{"SHOP_ADAPTER_FILE", "x"},
			[]string{"status"},
			"PUBSYNC_SHOP_ADAPTER_FILE",
			2,
		},
		{
			"a port that is injected",
			[]string{
				"PORT", "tcp://10.0.0.1:80", "PORT_80_TCP", "x", "PORT_80_TCP_ADDR", "y", "SERVICE_HOST", "z",
				"SERVICE_PORT_HTTP", "1",
			},
			[]string{"status"},
			"no store at", 5,
		},
		{"empty is unset", []string{"MARKETPLACE_LANGUAGES", " "}, []string{"status"}, "PUBSYNC_MARKETPLACE_LANGUAGES", 2},
		{"a secret twice", []string{"HTTP_TOKEN_FILE", "/nowhere"}, []string{"status"}, "PUBSYNC_HTTP_TOKEN", 2},
		{
			"a secret's file that is not there",
			[]string{"WEBHOOK_SECRET_FILE", "/no/such/file"},
			[]string{"status"},
			"PUBSYNC_WEBHOOK_SECRET_FILE", 2,
		},
		{"a flag that is none", nil, []string{"run", "--twice"}, "--twice", 2},
		{"a command that is none", nil, []string{"runn"}, "runn", 2},
		{"full without once", nil, []string{"run", "--full"}, "--full", 2},
		{"patience without once", nil, []string{"run", "--patience", "2m"}, "--patience", 2},
		{"dry-run without once", nil, []string{"run", "--dry-run"}, "--dry-run", 2},
		{"a state that is none", nil, []string{"publications", "--state", "sold"}, "--state", 2},
		{"retry of nothing", nil, []string{"retry"}, "retry", 2},
		{"approve of nothing", nil, []string{"approve"}, "approve", 2},
		{"an adapter that is none", nil, []string{"adapters", "magento"}, "magento", 2},
		{"an env file that is not there", nil, []string{"--env-file", "/no/such/file", "status"}, "/no/such/file", 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir() // some rows make a store, and others find none
			good := baseSettings(dir, "http://127.0.0.1:1", "http://127.0.0.1:2")
			r := call(t, dir, good.with(tt.set...), tt.args...)
			if r.code != tt.code || !strings.Contains(r.stderr, tt.want) {
				t.Errorf("exit %d, want %d and %q in: %s", r.code, tt.code, tt.want, r.stderr)
			}
			if strings.Contains(r.stderr, marketToken) || strings.Contains(r.stderr, shopToken) {
				t.Errorf("a secret is shown: %s", r.stderr)
			}
		})
	}
}

func TestEmptyCountsAsUnset(t *testing.T) {
	t.Parallel()
	env := settings{
		"PUBSYNC_MARKETPLACE_URL":  "",
		"PUBSYNC_PRICE_BASE":       "",
		"PUBSYNC_SWEEP_SCHEDULE":   "",
		"PUBSYNC_NO_SUCH":          "",
		"PUBSYNC_SHOP_CONCURRENCY": "",
	}
	if r := call(t, t.TempDir(), env, "status", "--json"); r.code != 5 || !strings.Contains(r.stderr, "no store at") {
		t.Errorf("exit %d, want 5 for want of a store: %s", r.code, r.stderr)
	}
	if r := call(t, t.TempDir(), env, "run", "--once"); r.code != 2 ||
		!strings.Contains(r.stderr, "PUBSYNC_MARKETPLACE_URL") {
		t.Errorf("run: exit %d, want 2, %s", r.code, r.stderr)
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

func TestTheMarketplacesAddressMayHaveAPathAndASlash(t *testing.T) {
	s := open(t, sandbox.Options{})
	address := freePort(t)
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	below := sandbox.Serve(sandbox.New(sandbox.Options{
		BaseURL: "http://" + address + "/retail", Token: marketToken,
		RestoreRate: 20_000,
	}), l)
	defer below.Close()
	below.AddSound(3)
	s.set("MARKETPLACE_URL", "http://"+address+"/retail/", "HTTP_URL", s.shop.server.URL+"/")
	if sum := s.imported(); sum.Created != 3 {
		t.Errorf("the run: %+v", sum)
	}
}
