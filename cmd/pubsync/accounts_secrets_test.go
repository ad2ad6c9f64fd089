//go:build unix

// The database of several accounts holds no secret in clear.

package main_test

import (
	"encoding/base64"
	"encoding/hex"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store/postgrestest"
)

// A dump of the database has no secret: neither one of an account's file, nor the token that an
// installation brought, nor one of the process.
func TestADumpOfTheDatabaseHasNoSecret(t *testing.T) {
	unraced(t)
	e := openEstate(t, "own")
	listen, adminToken := freePort(t), "a-token-of-the-admin-listener"
	const appSecret = "the-secret-of-the-app-that-signs"
	app := e.move("app")
	app.market = sandbox.Start(sandbox.Options{Token: marketToken, Secret: appSecret, Account: "account-of-the-app"})
	t.Cleanup(app.market.Close)
	app.set("MARKETPLACE_URL", app.market.URL, "MARKETPLACE_TOKEN", "", "OAUTH_CLIENT_ID", sandbox.DefaultClientID,
		"OAUTH_CLIENT_SECRET", appSecret, "OAUTH_AUTH_URL", app.market.URL, "WEBHOOK_URL", "http://"+listen+"/webhooks",
		"WEBHOOK_SECRET", "", "WEBHOOK_PATH_TOKEN", "")
	e.write("app", "PUBSYNC_ALERT_URL=https://hooks.example/the-path-that-is-a-secret")
	app.market.Add(sandbox.Publication{Listing: lamp(1)})
	e.set("ADMIN_TOKEN", adminToken)
	w := e.work("WEBHOOK_LISTEN", listen, "WEBHOOK_SECRET", "", "WEBHOOK_PATH_TOKEN", "")
	eventually(t, 20*time.Second, "status says where the app is installed", func() bool {
		return strings.Contains(e.call("status", "--account", "app").stdout, "http://"+listen+"/app/oauth/install")
	})
	install(t, w.hooks+"/app/oauth/install")
	e.live("app", 1)
	e.live("own", 2)
	own := e.sites["own"]
	echo := "you sent Bearer " + shopToken
	own.shop.rules(always(problem(422, echo)))
	refused := own.lamps(1)[0]
	if r := e.call("run", "--once", "--account", "own"); r.code != 1 {
		t.Fatalf("a run with a product that is refused: exit %d, want 1\n%s", r.code, r.stderr)
	}
	if r := e.call("explain", refused, "--account", "own"); !strings.Contains(r.stdout, "you sent") {
		t.Errorf("explain tells %s, want what the shop said", r.stdout)
	}

	out, err := exec.Command(filepath.Join(postgrestest.Installed(), "pg_dump"), e.storeAs("pubsync")).Output()
	if err != nil {
		t.Fatalf("pg_dump: %v", err)
	}
	dump := string(out)
	if !strings.Contains(dump, "COPY pubsync.kv") {
		t.Fatal("the dump has no facts")
	}
	for name, secret := range map[string]string{
		"the marketplace's token": marketToken, "the secret of webhooks": hookSecret, "the path token": pathToken,
		"the shop's token": shopToken, "the token of an installation": "installed-",
		"the app's secret": appSecret, "the address of alerts": "the-path-that-is-a-secret",
		"the admin token": adminToken, "the database's password": secretOf,
	} {
		for form, text := range formsOf(secret) {
			if strings.Contains(dump, text) {
				t.Errorf("the dump has %s, %s", name, form)
			}
		}
	}
	w.stop()
}

// formsOf is how a dump may have a text: as it is, as bytes, and in the form of sealed ones.
func formsOf(text string) map[string]string {
	return map[string]string{
		"in clear": text, "as bytes": hex.EncodeToString([]byte(text)),
		"in base64": strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(text))[:len(text)], "="),
	}
}
