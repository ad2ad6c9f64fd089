//go:build unix

// A replica serves the accounts of others too.

package main_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The dashboard and the API of every account are at every replica.
func TestEveryReplicaServesEveryAccount(t *testing.T) {
	e := openEstate(t, "a", "b", "c", "d")
	replicas := []*worker{e.replica(), e.replica()}
	eventually(t, slack*15*time.Second, "two share", func() bool {
		n := e.owners()
		return n[replicas[0].admin] == 2 && n[replicas[1].admin] == 2
	})
	for name, s := range e.sites {
		e.live(name, 2)
		for i, w := range replicas {
			eventually(t, 30*time.Second, fmt.Sprintf("%s at %s has %d live", name, w.admin, i+2), func() bool {
				var status struct{ Publications map[string]int }
				w.get("/accounts/"+name+"/api/v1/status", &status)
				return status.Publications["live"] == i+2
			})
			if res, page := w.ask(http.MethodGet, "/accounts/"+name+"/", "", nil); res.StatusCode != http.StatusOK ||
				!strings.Contains(page, "<title>") {
				t.Errorf("the dashboard of %s at %s: %d, want a page", name, w.admin, res.StatusCode)
			}
			before := s.shop.onSale()
			s.lamps(1)
			res, body := w.ask(http.MethodPost, "/accounts/"+name+"/api/v1/sweep", `{"wait":true}`, nil)
			if res.StatusCode != http.StatusOK || !strings.Contains(body, `"created":1`) {
				t.Errorf("a run of %s at %s: %d %s, want 200 and one that is created", name, w.admin, res.StatusCode, body)
			}
			if got := s.shop.onSale(); got != before+1 {
				t.Errorf("%s sells %d, want %d", name, got, before+1)
			}
		}
	}
	for _, w := range replicas {
		eventually(t, slack*10*time.Second, "the list has all accounts of all replicas", func() bool {
			var list struct {
				Accounts []struct {
					Name, State, Owner string
					Publications       map[string]int
				}
			}
			w.get("/api/v1/accounts", &list)
			whole := 0
			for _, a := range list.Accounts {
				if a.State == "working" && a.Owner != "" && a.Publications["live"] == 4 {
					whole++
				}
			}
			return whole == len(e.sites)
		})
	}
	for _, w := range replicas {
		res, copied := w.ask(http.MethodGet, "/accounts/a/api/v1/backup", "", nil)
		file := filepath.Join(t.TempDir(), "a.db")
		if err := os.WriteFile(file, []byte(copied), 0o600); err != nil {
			t.Fatal(err)
		}
		r := call(t, t.TempDir(), e.sites["a"].env.with("STORE_PATH", file), "publications")
		if res.StatusCode != http.StatusOK || strings.Count(r.stdout, "live") != 4 {
			t.Errorf("a backup by %s: %d, want a store with four that are live: %s%s", w.admin, res.StatusCode, r.stdout,
				r.stderr)
		}
	}
	for _, w := range replicas {
		w.stop()
	}
}
