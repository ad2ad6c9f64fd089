package setup

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/say"
)

// A new secret in a file is used and hidden. What cannot be read or used changes nothing.
func TestSecretsAreReadAgain(t *testing.T) {
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
	e := config.Read([]string{
		"PUBSYNC_HTTP_TOKEN_FILE=" + filepath.Join(dir, "key"), "PUBSYNC_ADMIN_TOKEN=from-the-process",
	}, []string{filepath.Join(dir, "shop.env")})
	c, err := Load(e, config.ToRunOnce, "test")
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(say.LogHandler(said, "json", slog.LevelInfo, true, c.Redact))
	reread := func(when string, tokens ...string) {
		t.Helper()
		next, err := c.reread(log)
		switch {
		case len(tokens) == 0 && next != nil:
			t.Errorf("%s: read again", when)
		case len(tokens) == 0:
		case next == nil || next.MarketplaceToken != tokens[0] || next.Adapter["TOKEN"] != tokens[1]:
			t.Errorf("%s: %v, %v, want the secrets %q", when, next, err, tokens)
		default:
			c = next
		}
	}
	reread("nothing is new")
	write("token", "second-token\n")
	reread("a new token", "second-token", "first-key-of-the-shop")
	if got := c.Redact("first-token, second-token"); strings.Contains(got, "token") {
		t.Errorf("shown: %q", got)
	}
	reread("the same token")
	write("key", "")
	reread("an empty file")
	if err := os.Remove(filepath.Join(dir, "token")); err != nil {
		t.Fatal(err)
	}
	reread("no file")
	write("token", "third token")
	write("key", "second-key-of-the-shop\n")
	reread("no token")
	write("token", "third-token")
	reread("a new key", "third-token", "second-key-of-the-shop")
	for _, secret := range []string{"first-", "second-", "third"} {
		if strings.Contains(said.String(), secret) {
			t.Errorf("%s is shown: %s", secret, said)
		}
	}
}

func TestSecretsAreTakenOutOfLogs(t *testing.T) {
	var filter secretFilter
	for _, secret := range []string{`t0ken/with"signs and+more`, "another-t0ken", "short"} {
		filter.hide(secret)
	}
	var out bytes.Buffer
	log := slog.New(say.LogHandler(&out, "json", slog.LevelInfo, true, filter.Redact))
	log.Info("said",
		"error", errors.New(`you sent t0ken/with"signs and+more`),
		"url", "https://x/?t=t0ken%2Fwith%22signs+and%2Bmore",
		"list", []string{"another-t0ken"},
		"hides", "another\x00-t0\u202eken",
		"word", "in short")
	s := out.String()
	if strings.Contains(s, "t0ken") {
		t.Errorf("logged %s, want no secret in it", s)
	}
	if n := strings.Count(s, "[secret]"); n != 4 {
		t.Errorf("logged %s with %d secrets hidden, want 4", s, n)
	}
	if !strings.Contains(s, "in short") {
		t.Errorf("logged %s, want a short secret's word left in a text", s)
	}
}
