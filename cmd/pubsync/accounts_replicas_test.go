//go:build unix

// Several replicas work on the accounts of one database.

package main_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store/postgres"
	"github.com/pubsync/pubsync/store/postgrestest"
)

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
