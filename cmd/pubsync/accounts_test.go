//go:build unix

// One process works on several accounts, each with a file of its own.

package main_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store/postgrestest"
)

// An estate is several accounts, each with a marketplace and a shop of its own, and the folder of
// their files.
type estate struct {
	*site                       // of the process: its settings, and the folder
	server *postgrestest.Server // of its own, nil for that of all tests
	sites  map[string]*site
}

// openEstate makes accounts of these names in one database. Each has two lamps.
func openEstate(t *testing.T, names ...string) *estate {
	t.Helper()
	t.Parallel()
	return openEstateOn(t, nil, names...)
}

// openEstateOn makes them on a server of their own, which the test may stop.
func openEstateOn(t *testing.T, server *postgrestest.Server, names ...string) *estate {
	t.Helper()
	e := &estate{site: &site{t: t, dir: t.TempDir(), env: settings{}}, server: server, sites: map[string]*site{}}
	if err := os.Mkdir(e.folder(), 0o700); err != nil {
		t.Fatal(err)
	}
	if server == nil {
		inPostgres(t, e.site)
	} else {
		e.storeIn(server.Create(t, "pubsync"))
	}
	e.set("ACCOUNTS_DIR", e.folder())
	for _, name := range names {
		e.move(name)
	}
	return e
}

func (e *estate) folder() string { return filepath.Join(e.dir, "accounts") }

func (e *estate) move(name string) *site {
	e.t.Helper()
	s := &site{
		t: e.t, dir: e.dir, shop: openShop(e.t),
		market: sandbox.Start(sandbox.Options{Token: marketToken, Secret: hookSecret, RestoreRate: 20_000}),
	}
	e.t.Cleanup(s.market.Close)
	s.env = baseSettings(s.dir, s.market.URL, s.shop.server.URL).with("STORE_PATH", "", "WEBHOOK_SECRET", hookSecret,
		"WEBHOOK_PATH_TOKEN", pathToken)
	s.lamps(2)
	e.sites[name] = s
	e.write(name)
	return s
}

func (e *estate) write(name string, lines ...string) {
	e.t.Helper()
	writeAccount(e.t, e.folder(), name, e.sites[name].env, lines...)
}

func writeAccount(t *testing.T, folder, name string, env settings, lines ...string) {
	t.Helper()
	for _, variable := range env.environ() {
		if variable, value, _ := strings.Cut(variable, "="); strings.HasPrefix(variable, "PUBSYNC_") && value != "" {
			lines = append(lines, fmt.Sprintf("%s='%s'", variable, value))
		}
	}
	slices.Sort(lines)
	text := strings.Join(lines, "\n") + "\n"
	if err := os.WriteFile(filepath.Join(folder, name+".env"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// live waits until an account's shop sells so many products.
func (e *estate) live(name string, want int) {
	e.t.Helper()
	eventually(e.t, 20*time.Second, fmt.Sprintf("%s sells %d products", name, want), func() bool {
		return e.sites[name].shop.onSale() == want
	})
}

// Commands are for the account that they name. Without a name three of them do all accounts, and
// the others say which there are.
func TestCommandsOfSeveralAccounts(t *testing.T) {
	unraced(t)
	e := openEstate(t, "one", "two")
	ends := func(code int, says string, args ...string) {
		t.Helper()
		if r := e.call(args...); r.code != code || !strings.Contains(r.stdout+r.stderr, says) {
			t.Errorf("pubsync %v: exit %d, want %d and %q\n%s%s", args, r.code, code, says, r.stdout, r.stderr)
		}
	}
	ends(0, "== two", "run", "--once")
	e.live("one", 2)
	e.live("two", 2)
	var all struct {
		Accounts map[string]struct{ Publications map[string]int }
	}
	e.call("status", "--json").decode(t, &all)
	for _, name := range []string{"one", "two"} {
		if got := all.Accounts[name].Publications["live"]; got != 2 {
			t.Errorf("status of all: got %d live of %s, want 2", got, name)
		}
	}
	ends(0, "nothing", "run", "--once", "--dry-run")
	ends(0, "live", "publications", "--account", "two")
	ends(2, "one, two", "publications")
	ends(2, "three", "status", "--account", "three")
	e.write("two", "PUBSYNC_ADMIN_LISTEN=off") // a fault, of this account alone
	ends(2, "two.env", "status")
	ends(2, "live 2", "status")
	ends(2, "PUBSYNC_ADMIN_LISTEN", "doctor", "--account", "two")
	ends(0, "", "status", "--account", "one")
}

// A worker of several accounts serves each under its name, and finds one by the marketplace's id of it.
func TestAWorkerOfSeveralAccounts(t *testing.T) {
	e := openEstate(t, "one", "three")
	e.write("three", "PUBSYNC_ACCOUNT_ID=account-three")
	w := e.work("WEBHOOK_LISTEN", freePort(t))
	for name := range e.sites {
		e.live(name, 2)
	}
	announce := func(name, path, id string) {
		t.Helper()
		body := created(e.sites[name].lamps(1)[0])
		res, _ := ask(t, http.MethodPost, w.hooks+path, body, map[string]string{
			"X-Service-Event": "PUBLICATION_CREATED", "X-Service-Signature": signature(body), "X-Service-Account-Id": id,
		})
		if res.StatusCode != http.StatusNoContent {
			t.Errorf("a webhook of %s: %d, want 204", name, res.StatusCode)
		}
		e.live(name, 3)
	}
	announce("one", "/one/webhooks", "")
	announce("three", "/webhooks", "account-three")
	for path, want := range map[string]int{
		"/one/webhooks/" + pathToken: 204, "/one/webhooks/wrong": 404, "/nobody/webhooks": 404, "/": 404,
	} {
		if res, _ := ask(t, http.MethodPost, w.hooks+path, `{}`, nil); res.StatusCode != want {
			t.Errorf("POST %s: %d, want %d", path, res.StatusCode, want)
		}
	}
	if r := e.call("run", "--once"); r.code != 0 || !strings.Contains(r.stdout, "== three") {
		t.Errorf("run --once beside the worker: exit %d, want 0 and all accounts\n%s%s", r.code, r.stdout, r.stderr)
	}
	w.measures(`pubsync_publications{account="one",state="live"} 3`)
	w.stop()
}
