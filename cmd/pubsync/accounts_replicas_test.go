//go:build unix

// Several replicas work on the accounts of one database.

package main_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store/postgres"
)

// replica starts a replica of an estate.
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
		var owner struct{ Admin string }
		if err == nil && h.Held && json.Unmarshal([]byte(h.Owner), &owner) == nil {
			n["http://"+owner.Admin]++
		}
	}
	return n
}

// Replicas share the accounts, one that stops hands its own over, one that is killed or hangs is
// replaced, and a webhook may come to any of them.
func TestReplicas(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e", "f"}
	e := openEstate(t, names...)
	spread := func(what string, within time.Duration, want map[string]int) {
		t.Helper()
		eventually(t, slack*within, what, func() bool { return fmt.Sprint(e.owners()) == fmt.Sprint(want) })
	}
	first := e.replica()
	spread("one replica has all", 10*time.Second, map[string]int{first.admin: 6})
	for _, name := range names {
		e.live(name, 2)
	}
	second := e.replica()
	spread("two share", 10*time.Second, map[string]int{first.admin: 3, second.admin: 3})
	third := e.replica()
	spread("three share", 15*time.Second, map[string]int{first.admin: 2, second.admin: 2, third.admin: 2})

	hook := func(w *worker, name string) {
		t.Helper()
		before := e.sites[name].shop.onSale()
		id := e.sites[name].lamps(1)[0]
		body := fmt.Sprintf(`{"data":{"publication":{"id":%q}}}`, id)
		res, _ := ask(t, http.MethodPost, w.hooks+"/"+name+"/webhooks", body, map[string]string{
			"X-Service-Signature": signature(body), "X-Service-Event": "PUBLICATION_CREATED",
		})
		if res.StatusCode != http.StatusNoContent {
			t.Errorf("a webhook of %s at %s: %d, want 204", name, w.hooks, res.StatusCode)
		}
		e.live(name, before+1)
	}
	for _, name := range names { // two of them are the first one's
		hook(first, name)
	}
	for _, name := range names { // unsigned ones that name nothing known lead to a sweep, wherever they come in
		before := e.sites[name].shop.onSale()
		e.sites[name].lamps(1)
		res, _ := ask(
			t,
			http.MethodPost,
			second.hooks+"/"+name+"/webhooks/"+pathToken,
			`{"data":{"product":{"id":"?"}}}`,
			nil,
		)
		if res.StatusCode != http.StatusNoContent {
			t.Errorf("an unsigned webhook of %s: %d, want 204", name, res.StatusCode)
		}
		e.live(name, before+1)
	}
	body := `{"data":{}}`
	res, _ := ask(t, http.MethodPost, first.hooks+"/a/webhooks", body, map[string]string{"X-Service-Signature": "00"})
	if res.StatusCode != http.StatusUnauthorized {
		t.Errorf("a webhook that nobody signed: %d, want 401", res.StatusCode)
	}

	begun := time.Now()
	third.kill()
	spread("a killed replica is replaced", 15*time.Second, map[string]int{first.admin: 3, second.admin: 3})
	t.Logf("replaced after %s", time.Since(begun))
	second.signal(syscall.SIGSTOP)
	spread("a replica that hangs is replaced", 15*time.Second, map[string]int{first.admin: 6})
	for _, name := range names {
		hook(first, name)
	}
	second.signal(syscall.SIGCONT)
	spread("the replica is back", 30*time.Second, map[string]int{first.admin: 3, second.admin: 3})
	begun = time.Now()
	second.stop()
	spread("a replica that stops hands over", 5*time.Second, map[string]int{first.admin: 6})
	t.Logf("handed over %s after the signal", time.Since(begun))

	if err := e.server.Stop(true); err != nil {
		t.Fatal(err)
	}
	res, _ = ask(t, http.MethodPost, first.hooks+"/a/webhooks/"+pathToken, `{"data":{"publication":{"id":"x"}}}`, nil)
	if res.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a webhook without the database: %d, want 503", res.StatusCode)
	}
	if res.Header.Get("Retry-After") == "" {
		t.Error("a webhook without the database: no Retry-After")
	}
	if err := e.server.Restart(); err != nil {
		t.Fatal(err)
	}
	eventually(t, 30*time.Second, "the replica is ready again", first.ready)
	spread("the replica has all again", 30*time.Second, map[string]int{first.admin: 6})
	for _, name := range names {
		if n := len(e.sites[name].shop.Products()); n != 5 {
			t.Errorf("%s holds %d products, want 5, each once", name, n)
		}
	}
	eventually(t, 30*time.Second, "status beside the replica shows five live each", func() bool {
		r := e.call("status")
		return r.code == 0 && strings.Count(r.stdout, "live 5") == 6
	})
	first.stop()
}
