package setup

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/connector/secrets"
)

// A sourceBench is an env file and a secret's own file, and the source that reads them.
type sourceBench struct {
	t       *testing.T
	dir     string
	process []string
	said    bytes.Buffer
	config  *Setup
}

func (b *sourceBench) write(name, content string) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.dir, name), []byte(content), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func (b *sourceBench) source() *secretSource {
	b.t.Helper()
	e, err := config.Read(b.process, []string{filepath.Join(b.dir, "shop.env")})
	if err != nil {
		b.t.Fatal(err)
	}
	if b.config, err = Load(e, config.ToRunOnce, "test"); err != nil {
		b.t.Fatal(err)
	}
	return newSecretSource(b.config,
		slog.New(say.LogHandler(&b.said, "json", slog.LevelInfo, true, b.config.filter.Replace)))
}

const sourceEnv = "PUBSYNC_MARKETPLACE_URL=https://market.example\n" +
	"PUBSYNC_SHOP_ADAPTER=http\nPUBSYNC_HTTP_URL=https://shop.example\n"

// A new secret in a file is used and hidden at once. A file that cannot be read, or is still being
// written, changes nothing.
func TestSecretSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &sourceBench{t: t, dir: t.TempDir()}
		b.process = []string{"PUBSYNC_HTTP_TOKEN_FILE=" + filepath.Join(b.dir, "key"), "PUBSYNC_ADMIN_TOKEN=from-the-process"}
		b.write("key", "first-key-of-the-shop\n")
		b.write("shop.env", sourceEnv+"PUBSYNC_MARKETPLACE_TOKEN=first-token\nPUBSYNC_ADMIN_TOKEN=from-the-file\n")
		v := b.source()
		expect := func(when string, want secrets.Set, shop bool) {
			t.Helper()
			got := v.read()
			if got.Shop = nil; !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %+v, want %+v", when, got, want)
			}
			if len(v.opened) > 0 != shop {
				t.Errorf("%s: the shop was opened %d times", when, len(v.opened))
			}
		}
		expect("nothing is new", secrets.Set{}, false)
		b.write("shop.env", sourceEnv+"PUBSYNC_MARKETPLACE_TOKEN=second-token\nPUBSYNC_ADMIN_TOKEN=anew-in-the-file\n")
		expect("a new token", secrets.Set{MarketplaceToken: "second-token"}, false)
		if got := b.config.filter.Replace("first-token, second-token"); strings.Contains(got, "token") {
			t.Errorf("shown: %q", got)
		}
		expect("the same token", secrets.Set{}, false)

		for name, content := range map[string]string{
			"a broken line": "PUBSYNC_MARKETPLACE_TOKEN=\"third",
			"no token":      sourceEnv,
			"another marketplace": strings.Replace(sourceEnv, "market.", "other.", 1) +
				"PUBSYNC_MARKETPLACE_TOKEN=of-the-other\n",
		} {
			b.write("shop.env", content)
			expect(name, secrets.Set{}, false)
		}
		if err := os.Remove(filepath.Join(b.dir, "shop.env")); err != nil {
			t.Fatal(err)
		}
		expect("no file", secrets.Set{}, false)
		b.write("key", "")
		expect("an empty file", secrets.Set{}, false)
		n := strings.Count(b.said.String(), "cannot be read again")
		expect("an empty file still", secrets.Set{}, false)
		if again := strings.Count(b.said.String(), "cannot be read again"); n == 0 || again != n {
			t.Errorf("said %d times, and %d times after one more reading: %s", n, again, b.said.String())
		}

		b.write("shop.env", sourceEnv+"PUBSYNC_MARKETPLACE_TOKEN=thi")
		half := make(chan secrets.Set)
		go func() { half <- v.read() }()
		synctest.Wait()
		b.write("shop.env", sourceEnv+"PUBSYNC_MARKETPLACE_TOKEN=third-token\n")
		if got := <-half; got.MarketplaceToken != "" {
			t.Errorf("half of a file was believed: %+v", got)
		}
		expect("the whole file", secrets.Set{MarketplaceToken: "third-token"}, false)

		b.write("key", "second-key-of-the-shop\n")
		b.write("shop.env", strings.Replace(sourceEnv, "shop.", "other.", 1))
		expect("a new key for another shop", secrets.Set{}, false)
		b.write("shop.env", sourceEnv)
		expect("a new key", secrets.Set{}, true)
		if b.config.Adapter["TOKEN"] != "second-key-of-the-shop" {
			t.Error("the shop was not opened with the new key")
		}
		for _, secret := range []string{"first-", "second-", "third-", "of-the-other"} {
			if strings.Contains(b.said.String(), secret) {
				t.Errorf("%s is shown: %s", secret, b.said.String())
			}
		}
	})
}

// Without a file nothing is read again.
func TestSecretSourceWithoutAFile(t *testing.T) {
	e, err := config.Read([]string{"PUBSYNC_HTTP_TOKEN=first-key"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Load(e, config.ToLook, "test")
	if err != nil {
		t.Fatal(err)
	}
	if v := newSecretSource(c, slog.New(slog.DiscardHandler)); v != nil {
		t.Errorf("a source of %v", v.known)
	}
}
