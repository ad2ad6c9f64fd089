package config

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Each setting that a person gets wrong is a fault that names its variable, for the commands that need it.
func TestFaults(t *testing.T) {
	const good = "MARKETPLACE_URL=https://market.example; MARKETPLACE_TOKEN=a-token; SHOP_ADAPTER=http; " +
		"HTTP_URL=https://shop.example; HTTP_TOKEN=another-token; "
	const app = "OAUTH_CLIENT_ID=app; OAUTH_CLIENT_SECRET=s3cret-of-the-app; OAUTH_AUTH_URL=https://auth.example; "
	const hooks = "WEBHOOK_LISTEN=127.0.0.1:0; WEBHOOK_SECRET=hook-s3cret; "
	const tokened = "WEBHOOK_PATH_TOKEN=a-path-token; WEBHOOK_URL=https://hooks.shop.example/webhooks"
	const bounds = "BRAKE_FIRST_PRICE: is not two numbers, the lower one first, such as 0.5-3, or off"
	for _, tt := range []struct {
		purpose   Purpose
		set, want string // what is set, and the fault without the prefix; "" for none
	}{
		{ToRunOnce, "", ""},
		{ToRunOnce, "SHOP_ADAPTER=", "SHOP_ADAPTER: is required"},
		{ToRunOnce, "SHOP_ADAPTER=magento", "SHOP_ADAPTER: is not one of"},
		{ToRun, "SHOP_ADAPTER=catalog", "CATALOG_URL: is required"},
		{ToRunOnce, "SHOP_PRICES=net", "SHOP_PRICES: cannot be net without PUBSYNC_PRICE_VAT_PERCENT"},
		{ToRunOnce, "SHOP_PRICES=net; PRICE_VAT_PERCENT=21", ""},
		{
			ToServe, "MARKETPLACE_TOKEN=; STORE_URL=postgres://host/db; ACCOUNTS_DIR=/no/such",
			"ACCOUNTS_DIR: cannot be read",
		},
		{ToPlan, "MARKETPLACE_TOKEN=", "MARKETPLACE_TOKEN: is required"},
		{ToPlan, "MARKETPLACE_TOKEN=a token", "MARKETPLACE_TOKEN: has a space"},
		{ToPlan, "SHOP_WEIGHT_UNIT=stone", "SHOP_WEIGHT_UNIT: must be g, kg, lb or oz"},
		{ToPlan, "BRAKE_REMOVED_PERCENT=101", "BRAKE_REMOVED_PERCENT: is not from 0 to 100"},
		{ToPlan, "OAUTH_CLIENT_ID=app", "OAUTH_CLIENT_SECRET: is required"},
		{ToPlan, "OAUTH_CLIENT_ID=app", "OAUTH_AUTH_URL: is required"},
		{ToRun, app, "WEBHOOK_URL: is required"},
		{ToRun, app + "WEBHOOK_URL=https://hooks.shop.example/webhooks", "WEBHOOK_LISTEN: is required"},
		{ToPlan, app + "MARKETPLACE_TOKEN=; WEBHOOK_URL=https://hooks.shop.example/webhooks", ""}, // its secret signs
		{ToLook, "OAUTH_AUTH_URL=auth.example", "OAUTH_AUTH_URL: "},
		{ToLook, "OAUTH_SCOPES=account:read", "OAUTH_SCOPES: "},
		{ToRun, "WEBHOOK_LISTEN=127.0.0.1:0", "WEBHOOK_LISTEN: needs"},
		{ToRun, hooks + "WEBHOOK_URL=https://localhost/webhooks", "WEBHOOK_URL: is localhost"},
		{ToPlan, "WEBHOOK_URL=https://hooks.shop.example/webhooks", "WEBHOOK_URL: needs"},
		{ToPlan, tokened, "WEBHOOK_URL: needs PUBSYNC_WEBHOOK_SECRET, or must end"},
		{ToRunOnce, tokened + "/a-path-token", ""},
		{ToRun, "ADMIN_LISTEN=:0", "ADMIN_TOKEN: is required"},
		{ToLook, "ADMIN_LISTEN=127.0.0.1:65535", ""},
		{ToLook, "ADMIN_LISTEN=127.0.0.1:65536", "ADMIN_LISTEN: is not an address"},
		{ToRun, "SWEEP_SCHEDULE=0 0 31 2 *", "SWEEP_SCHEDULE: never comes"},
		{ToRun, "RESYNC_SCHEDULE=@every -5m", "RESYNC_SCHEDULE: is more often"},
		{ToRun, "SWEEP_SCHEDULE=CRON_TZ=Europe/Amsterdam", "SWEEP_SCHEDULE: is not a cron expression"},
		{ToLook, "MARKETPLACE_TOKN=x", "MARKETPLACE_TOKN: no such setting; did you mean PUBSYNC_MARKETPLACE_TOKEN?"},
		{ToLook, "HTTP_TOKN=1", "HTTP_TOKN: no such setting; did you mean PUBSYNC_HTTP_TOKEN?"},
		{ToLook, "MARKETPLACE_TOKEN_FIEL=x", "MARKETPLACE_TOKEN_FIEL: no such setting; did you mean"},
		{ToLook, "PRICE_MARKUP=1", "PRICE_MARKUP: no such setting; did you mean PUBSYNC_PRICE_MARKUP_PERCENT?"},
		{ToLook, "ADAPTER=http", "ADAPTER: no such setting; did you mean PUBSYNC_SHOP_ADAPTER?"},
		{ToLook, "VAT_PERCENT=21", "VAT_PERCENT: no such setting; did you mean PUBSYNC_PRICE_VAT_PERCENT?"},
		{ToLook, "TOKEN=x", "TOKEN: no such setting; did you mean PUBSYNC_MARKETPLACE_TOKEN?"},
		{ToLook, "DATABASE_DSN=x; X=x", "X: no such setting; did you mean PUBSYNC_"},
		{ToLook, "SHOP_ADAPTER_FILE=x", "SHOP_ADAPTER_FILE: no such setting"},
		{ToLook, "PORT=tcp://10.0.0.1:80; PORT_80_TCP_ADDR=y; SERVICE_HOST=z; SERVICE_PORT_HTTP=1", ""},
		{ToLook, "PRICE_ENDING=95", "PRICE_ENDING: has neither a dot nor a comma: write .95"},
		{ToLook, "PRICE_ENDING=,95", ""},
		{ToLook, "PRICE_VAT_PERCENT=121", "PRICE_VAT_PERCENT: is not from 0 to 50: it is a percentage"},
		{ToLook, "PRICE_MARKUP_PERCENT=-90.5", "PRICE_MARKUP_PERCENT: is not from -90 to 1000: it is a percentage"},
		{ToLook, "PRICE_NO_MSRP_MARKUP_PERCENT=1001", "PRICE_NO_MSRP_MARKUP_PERCENT: "},
		{ToLook, "PRICE_MARKUP_PERCENT=-90; PRICE_NO_MSRP_MARKUP_PERCENT=1000", ""},
		{
			ToLook, "PRICE_TIERS=0-10:120%,20-:50%",
			"PRICE_TIERS: has no tier for a base of 10",
		},
		{ToLook, "PUBLISH_AS=draft; SHOP_ADAPTER=catalog", "PUBLISH_AS: cannot be draft"},
		{ToLook, "PRICE_SHIPPING=add", "SHIPPING_COUNTRY: is required"},
		{ToLook, "BRAKE_FIRST_PRICE=3", bounds},
		{ToLook, "BRAKE_FIRST_PRICE=3-0.5", bounds},
		{ToLook, "BRAKE_FIRST_PRICE=0-2.5", ""},
		{ToLook, "BRAKE_FIRST_PRICE=off", ""},
		{ToLook, "MARKETPLACE_LANGUAGES= ", "MARKETPLACE_LANGUAGES: "},
		{ToLook, "PRICE_BASE=; SWEEP_SCHEDULE=; SHOP_CONCURRENCY=; NO_SUCH=", ""}, // empty counts as unset
		{ToLook, "HTTP_TOKEN_FILE=/nowhere", "HTTP_TOKEN: is set, and so is"},
		{ToLook, "WEBHOOK_SECRET_FILE=/no/such/file", "WEBHOOK_SECRET_FILE: "},
		{ToLook, "SHOP_CURRENCY=euros", "SHOP_CURRENCY: "},
		{ToLook, "MARKETPLACE_CURRENCY=€", "MARKETPLACE_CURRENCY: "},
		{ToLook, "STORE_PATH=postgres://host/db", "STORE_PATH: is to name a file"},
		{ToLook, "STORE_URL=mysql://host/db", "STORE_URL: is not the address of a database"},
		{ToLook, "STORE_URL=postgres://u:x@127.0.0.1:port/db", "STORE_URL: is not of the form postgres://"},
		{ToLook, "STORE_URL=postgresql://host/db", ""},
		{ToLook, "STORE_URL=postgres://u:x@one:5432,two:5432/db", ""},
		{ToLook, "SHOP_CURRENCY=usd", "SHOP_CURRENCY: is not PUBSYNC_MARKETPLACE_CURRENCY"},
		{ToLook, "SHOP_KEEP=title,brand", "SHOP_KEEP: is not a list of title,description,images,category,price,stock"},
	} {
		values := map[string]string{}
		for set := range strings.SplitSeq(good+tt.set, "; ") {
			if name, value, ok := strings.Cut(set, "="); ok {
				values[name] = value
			}
		}
		var process []string
		for name, value := range values {
			process = append(process, Prefix+name+"="+value)
		}
		e := Read(process, nil)
		_, faults := Load(e, tt.purpose)
		named := tt.want == "" && len(faults) == 0
		for _, fault := range faults {
			named = named || tt.want != "" && strings.HasPrefix(fault.Error(), Prefix+tt.want)
		}
		if !named {
			t.Errorf("%s: got the faults %v, want %q", tt.set, faults, tt.want)
		}
	}
}

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

// loaded is the configuration of some settings, by their names without the prefix.
func loaded(t *testing.T, settings string) *Config {
	t.Helper()
	var process []string
	for _, setting := range strings.Fields(settings) {
		process = append(process, Prefix+setting)
	}
	e := Read(process, nil)
	c, faults := Load(e, ToLook)
	if len(faults) > 0 {
		t.Fatalf("faults in %v: %v", settings, faults)
	}
	return c
}

// Each price setting reaches the rule that it is for. What a rule makes of an amount is tested in
// package publication.
func TestPriceSettings(t *testing.T) {
	terms := store.Terms{
		Known: true, Branch: []string{"GARDEN", "GARDEN_POTS"}, Delivery: []store.Delivery{{Group: "NL", Costs: "5.00"}},
	}
	for _, tt := range []struct {
		set  string
		msrp string // of a cost of 10.00
		want string // "": none can be made
	}{
		{"", "20.00", "20.00"},
		{"PRICE_BASE=cost PRICE_MARKUP_PERCENT=110 PRICE_VAT_PERCENT=21 PRICE_ADD=1.50", "20.00", "26.91"},
		{"PRICE_MARKUP_PERCENT=10 PRICE_VAT_PERCENT=21 PRICE_ADD=1.50", "20.00", "23.50"},
		{"PRICE_MSRP_VAT=excluded PRICE_MARKUP_PERCENT=10 PRICE_VAT_PERCENT=21 PRICE_ADD=1.50", "20.00", "28.12"},
		{"PRICE_MARKUP_PERCENT=1 PRICE_ENDING=.95", "20.00", "20.95"},
		{"PRICE_BASE=cost PRICE_ADD=-5 PRICE_VAT_PERCENT=20", "20.00", "12.00"},
		{"PRICE_TIERS=0-20:70%,20-:5%", "20.00", "21.00"},
		{"PRICE_MIN_MARGIN_PERCENT=130 PRICE_VAT_PERCENT=10", "20.00", "25.30"},
		{"PRICE_CATEGORIES=GARDEN/POTS=+10%;GARDEN=50%", "20.00", "22.00"},
		{"PRICE_SHIPPING=add SHIPPING_COUNTRY=NL", "20.00", "25.00"},
		{"PRICE_SHIPPING=off SHIPPING_COUNTRY=NL", "20.00", "20.00"},
		{"PRICE_BASE=cost PRICE_SHIPPING=floor SHIPPING_COUNTRY=NL", "20.00", "15.00"},
		{"", "", ""},
		{"PRICE_VAT_PERCENT=21 PRICE_NO_MSRP=cost PRICE_NO_MSRP_MARKUP_PERCENT=50", "", "18.15"},
	} {
		q, err := loaded(t, tt.set).Publication.Price.For(terms).Quote("10.00", tt.msrp)
		got := ""
		if err == nil {
			got = q.Price.StringFixed(2)
		}
		if got != tt.want {
			t.Errorf("%s: the price is %q, %v, want %q", tt.set, got, err, tt.want)
		}
	}
}

// Each brake, and each rule of a publication that is no price, has its setting.
func TestRuleSettings(t *testing.T) {
	c := loaded(t, "BRAKE_PRICE_PERCENT=10 BRAKE_REMOVED_PERCENT=30 BRAKE_FIRST_PRICE=0.25-4 STOCK_BUFFER=5 "+
		"SHOP_KEEP=title,price SHOP_SKU_PREFIX=dw- MARKETPLACE_CURRENCY=usd SKIP_MARGIN_BELOW=15 SKIP_STOCK_BELOW=3 "+
		"SKIP_SHIPPING_DAYS_ABOVE=5 SKIP_CATEGORIES=fashion/shoes,GARDEN ON_SOLD_OUT=hide PUBLISH_AS=draft")
	r := c.Publication.Rules
	for _, tt := range []struct {
		name      string
		got, want any
	}{
		{"BRAKE_PRICE_PERCENT", c.Publication.Brake.PricePercent, 10},
		{"BRAKE_REMOVED_PERCENT", c.Publication.Brake.RemovedPercent, 30},
		{"BRAKE_FIRST_PRICE, the lower", c.Publication.Brake.FirstPrice.Least, 0.25},
		{"BRAKE_FIRST_PRICE, the upper", c.Publication.Brake.FirstPrice.Most, 4},
		{"STOCK_BUFFER", r.StockBuffer, 5},
		{"SHOP_KEEP", r.Keep, shopadapter.FieldTitle | shopadapter.FieldPrice},
		{"SHOP_SKU_PREFIX", r.SKUPrefix, "dw-"},
		{"MARKETPLACE_CURRENCY", r.Currency, "USD"},
		{"SKIP_MARGIN_BELOW", r.Skip.MarginBelow, 15},
		{"SKIP_STOCK_BELOW", r.Skip.StockBelow, 3},
		{"SKIP_SHIPPING_DAYS_ABOVE", r.Skip.DaysAbove, 5},
		{"SKIP_CATEGORIES", r.Skip.Categories, []string{"FASHION/SHOES", "GARDEN"}},
		{"ON_SOLD_OUT", r.HideSoldOut, true},
		{"PUBLISH_AS", r.AsDraft, true},
	} {
		if got, want := fmt.Sprint(tt.got), fmt.Sprint(tt.want); got != want {
			t.Errorf("%s is %s, want %s", tt.name, got, want)
		}
	}
}

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
		tried, err := c.Try(tt.set)
		got := fmt.Sprint(tried.Price.Markup, " ", tried.Price.VAT)
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
