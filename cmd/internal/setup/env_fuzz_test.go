package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/cmd/config"
)

// Whatever stands in an env file, it is read or refused, and no word of a value is in the refusal.
func FuzzEnvFile(f *testing.F) {
	for _, seed := range []string{
		"", "PUBSYNC_PRICE_ADD=1\n", "export PUBSYNC_LOG_LEVEL='debug' # x\n",
		"PUBSYNC_HTTP_URL=\"http://$HOME\n", "=\n", "\x00\xff", "PUBSYNC_SWEEP_SCHEDULE=TZ=\n",
		"PUBSYNC_SWEEP_SCHEDULE=@every 1ns\n", "PUBSYNC_PRICE_ADD=1e999999999\n", "PUBSYNC_PRICE_ENDING=.9999999999\n",
		"PUBSYNC_REFRESH_AFTER=9e9h\n", "PUBSYNC_SHOP_ADAPTER=woocommerce\nPUBSYNC_WOOCOMMERCE_CATEGORIES={\n",
		"PUBSYNC_WEBHOOK_URL=http://[::1%25]/\n", "PUBSYNC_ADMIN_LISTEN=:99999999999\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "_FILE") {
			t.Skip("the files of this machine are none of its business")
		}
		file := filepath.Join(t.TempDir(), "settings.env")
		text += "\nPUBSYNC_MARKETPLACE_TOKEN=c4nary\nPUBSYNC_LOG_LEVEL=c4nary\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		e, err := config.Read(nil, []string{file})
		for _, p := range []config.Purpose{config.ToLook, config.ToRun} {
			if err == nil {
				_, err = Load(e, p, "test")
			}
			if err != nil && strings.Contains(err.Error(), "c4nary") {
				t.Errorf("%q: %v", text, err)
			}
		}
	})
}
