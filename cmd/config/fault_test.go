package config

import (
	"strings"
	"testing"
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
		{ToLook, "SHOP_CURRENCY=usd", "SHOP_CURRENCY: says that"},
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
