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
	if r := e.call("run", "--once"); r.code != 0 {
		t.Fatalf("run --once of all: exit %d, want 0\n%s%s", r.code, r.stdout, r.stderr)
	}
	e.live("one", 2)
	e.live("two", 2)
	var all struct {
		Accounts map[string]struct{ Publications map[string]int }
		Exit     int
	}
	e.call("status", "--json").decode(t, &all)
	for _, name := range []string{"one", "two"} {
		if got := all.Accounts[name].Publications["live"]; got != 2 {
			t.Errorf("status of all: got %d live of %s, want 2", got, name)
		}
	}
	if r := e.call("run", "--once", "--dry-run"); r.code != 0 || strings.Count(r.stdout, "nothing") != 2 {
		t.Errorf("a dry run of all: exit %d, %s, want nothing to do of each", r.code, r.stdout)
	}
	if r := e.call("publications", "--account", "two"); r.code != 0 || strings.Count(r.stdout, "live") != 2 {
		t.Errorf("publications of two: exit %d, %s, want two that are live", r.code, r.stdout)
	}
	r := e.call("publications")
	if r.code != 2 {
		t.Errorf("publications of no account: exit %d, want 2", r.code)
	}
	if !strings.Contains(r.stderr, "one, two") {
		t.Errorf("publications of no account: got %q, want the names of both", r.stderr)
	}
	if r := e.call("status", "--account", "three"); r.code != 2 {
		t.Errorf("an account that is not there: exit %d, want 2", r.code)
	}

	e.write("two", "PUBSYNC_ADMIN_LISTEN=off")
	r = e.call("status")
	if r.code != 2 {
		t.Errorf("status with a faulty account: exit %d, want 2", r.code)
	}
	if !strings.Contains(r.stdout, "two.env") || !strings.Contains(r.stdout, "PUBSYNC_ADMIN_LISTEN") {
		t.Errorf("status with a faulty account: got %q, want its file and variable", r.stdout)
	}
	if !strings.Contains(r.stdout, "live 2") {
		t.Errorf("status with a faulty account: got %q, want the other one's too", r.stdout)
	}
	if r := e.call("doctor", "--account", "two"); r.code != 2 || !strings.Contains(r.stdout, "PUBSYNC_ADMIN_LISTEN") {
		t.Errorf("doctor of a faulty account: exit %d, %q, want 2 and the variable", r.code, r.stdout)
	}
}

// A worker of several accounts serves each under its name, and finds one by the marketplace's id of it.
func TestAWorkerOfSeveralAccounts(t *testing.T) {
	e := openEstate(t, "one", "two", "three")
	e.write("three", "PUBSYNC_ACCOUNT_ID=account-three")
	w := e.work("WEBHOOK_LISTEN", freePort(t))
	for name := range e.sites {
		e.live(name, 2)
	}
	announce := func(name, path string, header map[string]string) int {
		t.Helper()
		body := fmt.Sprintf(`{"data":{"publication":{"id":%q}}}`, e.sites[name].lamps(1)[0])
		header["X-Service-Event"] = "PUBLICATION_CREATED"
		if header["X-Service-Signature"] == "" {
			header["X-Service-Signature"] = signature(body)
		}
		res, _ := ask(t, http.MethodPost, w.hooks+path, body, header)
		return res.StatusCode
	}
	if got := announce("one", "/one/webhooks", map[string]string{}); got != http.StatusNoContent {
		t.Errorf("a webhook of one: %d, want 204", got)
	}
	e.live("one", 3)
	for path, want := range map[string]int{
		"/one/webhooks/" + pathToken: 204, "/one/webhooks/wrong": 404, "/nobody/webhooks": 404, "/": 404,
	} {
		if res, _ := ask(t, http.MethodPost, w.hooks+path, `{}`, nil); res.StatusCode != want {
			t.Errorf("POST %s: %d, want %d", path, res.StatusCode, want)
		}
	}
	if got := announce("three", "/webhooks", map[string]string{"X-Service-Account-Id": "account-three"}); got != 204 {
		t.Errorf("a webhook of the id of three: %d, want 204", got)
	}
	e.live("three", 3)
	for signed, want := range map[string]int{"": http.StatusNoContent, "00": http.StatusUnauthorized} {
		got := announce("two", "/webhooks", map[string]string{
			"X-Service-Account-Id": "account-four", "X-Service-Signature": signed,
		})
		if got != want {
			t.Errorf("a webhook of nobody's account, signed with %q: %d, want %d", signed, got, want)
		}
	}
	if r := e.call("run", "--once"); r.code != 0 || !strings.Contains(r.stdout, "== three") {
		t.Errorf("run --once beside the worker: exit %d, want 0 and all accounts\n%s%s", r.code, r.stdout, r.stderr)
	}
	w.measures(`pubsync_publications{account="one",state="live"} 3`)
	w.stop()
}
