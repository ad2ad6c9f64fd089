//go:build unix

// What a replica says of itself while its database is away, and of deliveries that it refuses.

package main_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A replica without its database is not ready and goes on living: its webhooks go to another one,
// or come again. Deliveries that a replica refuses count there, whichever one has the account.
func TestReadinessOfAReplica(t *testing.T) {
	e := openEstate(t, "a", "b")
	replicas := []*worker{e.replica(), e.replica()}
	eventually(t, slack*15*time.Second, "two share", func() bool {
		n := e.owners()
		return n[replicas[0].admin] == 1 && n[replicas[1].admin] == 1
	})
	for i, w := range replicas {
		for name := range e.sites {
			for range 5 {
				res, _ := ask(t, http.MethodPost, w.hooks+"/"+name+"/webhooks", `{}`, map[string]string{
					"X-Service-Signature": "00", "X-Service-Event": "PUBLICATION_CREATED",
				})
				if res.StatusCode != http.StatusUnauthorized {
					t.Errorf("a webhook of %s that nobody signed: %d, want 401", name, res.StatusCode)
				}
			}
		}
		_, metrics := w.ask(http.MethodGet, "/metrics", "", nil)
		refused := 0
		for line := range strings.Lines(metrics) {
			var n int
			if strings.HasPrefix(line, "pubsync_webhooks_total{") && strings.Contains(line, `result="refused_`) {
				if _, err := fmt.Sscan(line[strings.LastIndex(line, " "):], &n); err == nil {
					refused += n
				}
			}
		}
		if refused != 10 {
			t.Errorf("replica %d counts %d refused deliveries, want 10", i, refused)
		}
		w.logs("webhooks are refused")
	}

	if err := e.server.Stop(true); err != nil {
		t.Fatal(err)
	}
	eventually(t, slack*15*time.Second, "the replica is not ready", func() bool { return !replicas[0].ready() })
	if _, body := replicas[0].ask(http.MethodGet, "/readyz", "", nil); !strings.Contains(body, "database") {
		t.Errorf("readyz without the database says %q, want what is away", body)
	}
	if res, _ := replicas[0].ask(http.MethodGet, "/livez", "", nil); res.StatusCode != http.StatusOK {
		t.Errorf("livez without the database: %d, want 200", res.StatusCode)
	}
	if err := e.server.Restart(); err != nil {
		t.Fatal(err)
	}
	for _, w := range replicas {
		eventually(t, slack*15*time.Second, "the replica is ready again", w.ready)
		w.stop()
	}
}
