//go:build unix

// Several replicas work on the accounts of one database.

package main_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store/postgres"
	"github.com/pubsync/pubsync/store/postgrestest"
)

func (e *estate) replica() *worker {
	e.t.Helper()
	e.set("ADMIN_LISTEN", "") // each has one of its own
	return e.work()
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
// One that stops hands its accounts over. Without the database a replica
// is not ready, refuses webhooks so that they come again, and lives on. The campaign kills and stops them.
func TestReplicas(t *testing.T) {
	t.Parallel()
	names := []string{"a", "b"}
	e := openEstateOn(t, postgrestest.Start(t), names...)
	first := e.replica()
	spread := func(what string, within time.Duration, want map[string]int) {
		t.Helper()
		eventually(t, within, what, func() bool { return fmt.Sprint(e.owners()) == fmt.Sprint(want) })
	}
	spread("one works on both", 15*time.Second, map[string]int{first.admin: 2})
	second := e.replica()
	replicas := []*worker{first, second}
	for name, s := range e.sites {
		e.live(name, 2)
		for i, w := range replicas {
			if res, page := w.ask(http.MethodGet, "/accounts/"+name+"/", "", nil); res.StatusCode != http.StatusOK ||
				!strings.Contains(page, "<title>") {
				t.Errorf("the dashboard of %s at %s: %d, want a page", name, w.admin, res.StatusCode)
			}
			// what is on sale may not be counted yet
			eventually(t, 10*time.Second, "it is known what is on sale", func() bool {
				var status struct{ Publications map[string]int }
				w.get("/accounts/"+name+"/api/v1/status", &status)
				return status.Publications["live"] == 2+2*i
			})
			s.lamps(1)
			res, body := w.ask(http.MethodPost, "/accounts/"+name+"/api/v1/sweep", `{"wait":true}`, nil)
			if res.StatusCode != http.StatusOK || !strings.Contains(body, `"created":1`) || s.shop.onSale() != 3+2*i {
				t.Errorf(
					"a run of %s at %s: %d %s, want 200 and one that is created", name, w.admin, res.StatusCode, body,
				)
			}
			// an unsigned webhook that names nothing known leads to a sweep
			s.lamps(1)
			path := "/" + name + "/webhooks/" + pathToken
			res, _ = ask(t, http.MethodPost, w.hooks+path, `{"data":{"product":{"id":"?"}}}`, nil)
			if res.StatusCode != http.StatusNoContent {
				t.Errorf("an unsigned webhook of %s: %d, want 204", name, res.StatusCode)
			}
			e.live(name, 4+2*i)
		}
	}
	for _, w := range replicas {
		eventually(t, 10*time.Second, "the list has all accounts of all replicas", func() bool {
			var list struct {
				Accounts []struct {
					Publications map[string]int
				}
			}
			w.get("/api/v1/accounts", &list)
			whole := 0
			for _, a := range list.Accounts {
				if a.Publications["live"] == 6 {
					whole++
				}
			}
			return whole == len(names)
		})
	}

	first.stop()
	spread("a replica that stops hands over", 5*time.Second, map[string]int{second.admin: 2})
	if err := e.server.Stop(true); err != nil {
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
	spread("the replica has all again", 15*time.Second, map[string]int{second.admin: 2})
	second.stop()
}
