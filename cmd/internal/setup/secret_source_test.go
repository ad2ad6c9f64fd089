package setup

import (
	"bytes"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/connector"
)

// A new secret in a file is used and hidden at once. A file that cannot be read changes nothing.
func TestSecretSource(t *testing.T) {
	dir, said := t.TempDir(), &bytes.Buffer{}
	write := func(name, content string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("token", "first-token")
	write("key", "first-key-of-the-shop\n")
	write("shop.env", "PUBSYNC_MARKETPLACE_URL=https://market.example\nPUBSYNC_MARKETPLACE_TOKEN_FILE=token\n"+
		"PUBSYNC_SHOP_ADAPTER=http\nPUBSYNC_HTTP_URL=https://shop.example\n")
	e, err := config.Read([]string{
		"PUBSYNC_HTTP_TOKEN_FILE=" + filepath.Join(dir, "key"), "PUBSYNC_ADMIN_TOKEN=from-the-process",
	}, []string{filepath.Join(dir, "shop.env")})
	if err != nil {
		t.Fatal(err)
	}
	c, err := Load(e, config.ToRunOnce, "test")
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(say.LogHandler(said, "json", slog.LevelInfo, true, c.filter.Replace))
	v := &secretSource{Setup: c, log: log, known: maps.Clone(c.Values)}
	expect := func(when, token string, shop bool) {
		t.Helper()
		got, want := v.read(), connector.Secrets{MarketplaceToken: token, AdminToken: "from-the-process"}
		if got.Shop = nil; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", when, got, want)
		}
		if len(v.opened) > 0 != shop {
			t.Errorf("%s: the shop was opened %d times", when, len(v.opened))
		}
	}
	expect("nothing is new", "first-token", false)
	write("token", "second-token\n")
	expect("a new token", "second-token", false)
	if got := c.filter.Replace("first-token, second-token"); strings.Contains(got, "token") {
		t.Errorf("shown: %q", got)
	}
	expect("the same token", "second-token", false)
	write("key", "")
	expect("an empty file", "second-token", false)
	n := strings.Count(said.String(), "cannot be read again")
	expect("an empty file still", "second-token", false)
	if again := strings.Count(said.String(), "cannot be read again"); n == 0 || again != n {
		t.Errorf("said %d times, and %d times after one more reading: %s", n, again, said)
	}
	if err := os.Remove(filepath.Join(dir, "token")); err != nil {
		t.Fatal(err)
	}
	expect("no file", "second-token", false)
	write("key", "second-key-of-the-shop\n")
	expect("a new key", "second-token", true)
	if c.Adapter["TOKEN"] != "second-key-of-the-shop" {
		t.Error("the shop was not opened with the new key")
	}
	for _, secret := range []string{"first-", "second-"} {
		if strings.Contains(said.String(), secret) {
			t.Errorf("%s is shown: %s", secret, said)
		}
	}
}
