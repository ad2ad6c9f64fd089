//go:build linux

// How many accounts are handed over, and what benchmarks of many accounts stand on.

package main_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store/postgrestest"
)

// A yard is accounts, one shop for all, and the processes that work on them.
type yard struct {
	b       *testing.B
	dir     string
	env     settings
	shop    *httptest.Server
	running []*exec.Cmd
	admins  []string
}

func yardAccount(i int) string { return fmt.Sprintf("a%04d", i) }

// BenchmarkFailover has two replicas share 40 accounts, and reports the seconds until the other one
// has all of them: after a kill of one, and after a stop.
//
// Wanted: killed-s of at most 15.
func BenchmarkFailover(b *testing.B) {
	const accounts = 40
	server := postgrestest.Start(b, true)
	y := newYard(b, server.Create(b, "pubsync"))
	for i := range accounts {
		m := sandbox.Start(sandbox.Options{Token: marketToken, Secret: hookSecret, RestoreRate: 100_000})
		b.Cleanup(m.Close)
		y.write(i, m.URL)
	}
	// spread is whether so many processes have all accounts between them, evenly.
	spread := func(processes int) func() bool {
		want := fmt.Sprint(accounts/processes, ",", processes)
		return func() bool {
			if strings.TrimSpace(server.Ask(b, "pubsync", `select to_regclass('pubsync.replica')`)) == "" {
				return false // the first process has yet to make the tables
			}
			return strings.TrimSpace(server.Ask(b, "pubsync", `select min(n) || ',' || count(*) from (
				select count(*) n from heartbeat where expires > now() group by owner) o having sum(n) = `+
				fmt.Sprint(accounts))) == want
		}
	}
	y.run()
	for b.Loop() {
		for unit, signal := range map[string]syscall.Signal{"killed-s": syscall.SIGKILL, "stopped-s": syscall.SIGTERM} {
			second := y.run()
			y.waitFor("two share", spread(2))
			begun := time.Now()
			if err := second.Signal(signal); err != nil {
				b.Fatal(err)
			}
			y.waitFor("one has all", spread(1))
			b.ReportMetric(time.Since(begun).Seconds(), unit)
		}
	}
	b.ReportMetric(0, "ns/op") // mostly waiting
}

// newYard makes a yard without accounts, whose state is in a database.
func newYard(b *testing.B, database string) *yard {
	b.Helper()
	y := &yard{b: b, dir: b.TempDir(), shop: httptest.NewServer(http.HandlerFunc(takeEverything))}
	b.Cleanup(y.shop.Close)
	if err := os.Mkdir(filepath.Join(y.dir, "accounts"), 0o700); err != nil {
		b.Fatal(err)
	}
	y.env = settings{}.with("ACCOUNTS_DIR", filepath.Join(y.dir, "accounts"), "STORE_URL", database)
	b.Cleanup(y.close)
	return y
}

// write writes the file of an account.
func (y *yard) write(i int, market string) {
	y.b.Helper()
	file := fmt.Sprintf("PUBSYNC_MARKETPLACE_URL=%s\nPUBSYNC_MARKETPLACE_TOKEN=%s\nPUBSYNC_SHOP_ADAPTER=http\n"+
		"PUBSYNC_HTTP_URL=%s\nPUBSYNC_HTTP_TOKEN=%s\nPUBSYNC_WEBHOOK_SECRET=%s\n", market, marketToken,
		y.shop.URL, shopToken, hookSecret)
	if err := os.WriteFile(filepath.Join(y.dir, "accounts", yardAccount(i)+".env"), []byte(file), 0o600); err != nil {
		y.b.Fatal(err)
	}
}

// run starts a process that works on the accounts.
func (y *yard) run() *os.Process {
	y.b.Helper()
	admin := freePort(y.b)
	c := exec.CommandContext(y.b.Context(), binary, "run")
	c.Env = y.env.with("ADMIN_LISTEN", admin, "WEBHOOK_LISTEN", freePort(y.b), "LOG_LEVEL", "warn").environ()
	if err := c.Start(); err != nil {
		y.b.Fatal(err)
	}
	y.running = append(y.running, c)
	y.admins = append(y.admins, "http://"+admin)
	return c.Process
}

// close ends the processes.
func (y *yard) close() {
	for _, c := range y.running {
		_ = c.Process.Signal(sigterm)
	}
	for _, c := range y.running {
		_ = c.Wait()
	}
	y.running = nil
}

// waitFor waits until a condition holds.
func (y *yard) waitFor(what string, holds func() bool) {
	y.b.Helper()
	for begun := time.Now(); !holds(); time.Sleep(100 * time.Millisecond) {
		if time.Since(begun) > 10*time.Minute {
			y.b.Fatalf("not within 10 minutes: %s", what)
		}
	}
}

// takeEverything is a shop behind the http adapter that takes every product at once, and keeps none.
func takeEverything(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodPut:
	case path.Base(r.URL.Path) == "health", strings.HasPrefix(r.URL.Path, "/page/"):
		return
	default:
		http.NotFound(w, r) // it has no list
		return
	}
	var p struct{ Variants []struct{ ID string } }
	if err := json.NewDecoder(r.Body).Decode(&p); err != nil {
		http.Error(w, "no product", http.StatusBadRequest)
		return
	}
	id, variants := path.Base(r.URL.Path), map[string]string{}
	for _, v := range p.Variants {
		variants[v.ID] = "of-" + v.ID
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"id": "of-" + id, "url": "http://" + r.Host + "/page/" + id, "variants": variants,
	})
}
