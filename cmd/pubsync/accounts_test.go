//go:build unix

// One process works on several accounts, each with a file of its own, and so do several processes.

package main_test

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store/postgres"
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
	e.sites["one"].lamps(1)
	e.sites["three"].lamps(1)
	w = e.startAs(exec.Command(binary, "run", "--account", "one")) // this one alone
	e.live("one", 4)
	eventually(t, 15*time.Second, "the worker is ready", w.ready)
	if r := e.call("run", "--once", "--account", "one"); r.code != 0 {
		t.Errorf("run --once beside it: exit %d, want 0\n%s", r.code, r.stderr)
	}
	if n := e.sites["three"].shop.onSale(); n != 3 {
		t.Errorf("the other account sells %d, want 3 as before", n)
	}
	w.stop()
}

// The containers of both deployments work on the accounts of a folder, over a database. The role of the replicas
// is enough for a worker, also with tables of a later version, and can change no table.
func TestTheFilesForReplicas(t *testing.T) {
	e := openEstate(t, "one") // the first worker is of the tables' owner
	for _, c := range []container{
		composed(t, "compose/replicas.yaml"), podOf(t, "kubernetes-replicas/deployment.yaml"),
	} {
		c.starts(t, e.env.with("ADMIN_TOKEN", "a-token-of-the-admin-listener"))
	}
	psql := func(want bool, user string, args ...string) {
		t.Helper()
		err := exec.Command(filepath.Join(postgrestest.Installed(), "psql"),
			append([]string{"-q", "-v", "ON_ERROR_STOP=1", e.storeAs(user)}, args...)...).Run()
		if (err == nil) != want {
			t.Errorf("%s: %v gets %v, want it done %t", user, args, err, want)
		}
	}
	psql(true, "pubsync", "-c", "create role superior superuser login")
	for range 2 {
		psql(true, "superior", "-v", "password=it's", "-f", filepath.Join(deployed, "postgresql/role.sql"))
	}
	psql(true, "pubsync", "-c", "create table pubsync.later (x int)")
	psql(true, "pubsync_worker", "-c", "insert into pubsync.later values (1)")
	e.set("STORE_URL", e.storeAs("pubsync_worker"))
	e.sites["one"].lamps(1)
	w := e.work()
	e.live("one", 3)
	w.stop()
	for _, sql := range []string{
		"drop table pubsync.kv", "alter table pubsync.kv add x int", "create table pubsync.x (y int)",
		"insert into pubsync.migration select * from pubsync.migration", "create schema other",
	} {
		psql(false, "pubsync_worker", "-c", sql)
	}
}

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

// owners is how many accounts each replica has, by its admin address.
func (e *estate) owners() map[string]int {
	e.t.Helper()
	n := map[string]int{}
	for name := range e.sites {
		h, err := postgres.HolderOf(e.t.Context(), e.env["PUBSYNC_STORE_URL"], name)
		if err == nil && h != nil && h.Held {
			_, admin, _ := strings.Cut(strings.TrimSuffix(h.Owner, ")"), "dashboard on ")
			n["http://"+admin]++
		}
	}
	return n
}

// Each replica serves every account, also one that another works on: its dashboard, its API and its webhooks.
// One that stops hands its accounts over. Without the database a replica is not ready, refuses webhooks so
// that they come again, and lives on. The campaign kills and stops them.
func TestReplicas(t *testing.T) {
	t.Parallel()
	e := openEstateOn(t, postgrestest.Start(t), "a", "b")
	has := func(w *worker, within time.Duration) {
		t.Helper()
		eventually(t, within, "one works on both", func() bool { return e.owners()[w.admin] == 2 })
	}
	first := e.work()
	has(first, 15*time.Second)
	e.set("ADMIN_LISTEN", freePort(t))
	second := e.work()
	for name, s := range e.sites { // which the first works on
		e.live(name, 2)
		at := "/accounts/" + name
		if res, page := second.ask(http.MethodGet, at+"/", "", nil); res.StatusCode != http.StatusOK ||
			!strings.Contains(page, "<title>") {
			t.Errorf("the dashboard of %s: %d, want a page", name, res.StatusCode)
		}
		s.lamps(1)
		res, body := second.ask(http.MethodPost, at+"/api/v1/sweep", `{"wait":true}`, nil)
		if res.StatusCode != http.StatusOK || !strings.Contains(body, `"created":1`) || s.shop.onSale() != 3 {
			t.Errorf("a run of %s: %d %s, want 200 and one that is created", name, res.StatusCode, body)
		}
		s.lamps(1) // an unsigned webhook that names nothing known leads to a sweep
		res, _ = ask(t, http.MethodPost, second.hooks+"/"+name+"/webhooks/"+pathToken, `{"data":{"product":{"id":"?"}}}`, nil)
		if res.StatusCode != http.StatusNoContent {
			t.Errorf("an unsigned webhook of %s: %d, want 204", name, res.StatusCode)
		}
		e.live(name, 4)
	}
	eventually(t, 10*time.Second, "the list has the accounts of the other replica", func() bool {
		_, body := second.ask(http.MethodGet, "/api/v1/accounts", "", nil)
		return strings.Count(body, `"live":4`) == 2
	})

	first.stop()
	has(second, 5*time.Second)
	if err := e.server.Stop("immediate"); err != nil {
		t.Fatal(err)
	}
	eventually(t, 15*time.Second, "the replica is not ready", func() bool { return !second.ready() })
	if _, body := second.ask(http.MethodGet, "/readyz", "", nil); !strings.Contains(body, "database") {
		t.Errorf("readyz without the database says %q, want what is away", body)
	}
	if res, _ := second.ask(http.MethodGet, "/livez", "", nil); res.StatusCode != http.StatusOK {
		t.Errorf("livez without the database: %d, want 200", res.StatusCode)
	}
	res, _ := ask(t, http.MethodPost, second.hooks+"/a/webhooks/"+pathToken, `{"data":{"publication":{"id":"x"}}}`, nil)
	if res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "" {
		t.Errorf("a webhook without the database: %d, want 503 with Retry-After", res.StatusCode)
	}
	if err := e.server.Restart(); err != nil {
		t.Fatal(err)
	}
	eventually(t, 15*time.Second, "the replica is ready again", second.ready)
	has(second, 15*time.Second)
	second.stop()
}
