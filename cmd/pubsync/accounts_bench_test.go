//go:build linux

// What benchmarks of many accounts stand on.

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
	"sync/atomic"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// A yard is accounts with a marketplace each, one shop for all, and the processes that work on
// them.
type yard struct {
	b       *testing.B
	dir     string
	env     settings
	markets []*sandbox.Server
	shop    *wideShop
	running []*exec.Cmd
	hooks   []string // the webhook listener of each process
	admins  []string
}

func yardAccount(i int) string { return fmt.Sprintf("a%04d", i) }

// newYard makes a yard of so many accounts, whose lists are empty. Their stores are files.
func newYard(b *testing.B, accounts int) *yard {
	b.Helper()
	y := emptyYard(b)
	for i := range accounts {
		m := sandbox.Start(sandbox.Options{Token: marketToken, Secret: hookSecret, RestoreRate: 100_000})
		b.Cleanup(m.Close)
		y.markets = append(y.markets, m)
		y.write(i, m.URL)
	}
	return y
}

// emptyYard makes one without accounts.
func emptyYard(b *testing.B) *yard {
	b.Helper()
	y := &yard{b: b, dir: b.TempDir(), shop: openWideShop(b)}
	if err := os.Mkdir(filepath.Join(y.dir, "accounts"), 0o700); err != nil {
		b.Fatal(err)
	}
	y.env = settings{}.with("ACCOUNTS_DIR", filepath.Join(y.dir, "accounts"), "STORE_PATH",
		filepath.Join(y.dir, "stores"))
	b.Cleanup(y.close)
	return y
}

// write writes the file of an account.
func (y *yard) write(i int, market string) {
	y.b.Helper()
	file := fmt.Sprintf("PUBSYNC_MARKETPLACE_URL=%s\nPUBSYNC_MARKETPLACE_TOKEN=%s\nPUBSYNC_SHOP_ADAPTER=http\n"+
		"PUBSYNC_HTTP_URL=%s\nPUBSYNC_HTTP_TOKEN=%s\nPUBSYNC_WEBHOOK_SECRET=%s\n", market, marketToken,
		y.shop.server.URL, shopToken, hookSecret)
	if err := os.WriteFile(filepath.Join(y.dir, "accounts", yardAccount(i)+".env"), []byte(file), 0o600); err != nil {
		y.b.Fatal(err)
	}
}

// run starts a process that works on the accounts, with the settings changed by pairs.
func (y *yard) run(pairs ...string) *os.Process {
	y.b.Helper()
	hooks, admin := freePort(y.b), freePort(y.b)
	env := y.env.with("ADMIN_LISTEN", admin, "WEBHOOK_LISTEN", hooks, "LOG_LEVEL", "warn").with(pairs...)
	c := exec.CommandContext(y.b.Context(), binary, "run")
	c.Env = env.environ()
	if err := c.Start(); err != nil {
		y.b.Fatal(err)
	}
	y.running = append(y.running, c)
	y.hooks, y.admins = append(y.hooks, "http://"+hooks), append(y.admins, "http://"+admin)
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

// A wideShop is a shop behind the http adapter that takes every product at once, and keeps none.
type wideShop struct {
	server *httptest.Server
	away   atomic.Bool
	begun  atomic.Pointer[time.Time] // when the first product was written
}

func openWideShop(b *testing.B) *wideShop {
	s := &wideShop{}
	s.server = httptest.NewServer(s)
	b.Cleanup(s.server.Close)
	return s
}

// first is when the first product was written.
func (s *wideShop) first() time.Time { return *s.begun.Load() }

func (s *wideShop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case s.away.Load():
		http.Error(w, "away", http.StatusServiceUnavailable)
		return
	case r.Method == http.MethodPut:
	case path.Base(r.URL.Path) == "health", strings.HasPrefix(r.URL.Path, "/page/"):
		return
	default:
		http.NotFound(w, r) // it has no list
		return
	}
	if s.begun.Load() == nil {
		s.begun.CompareAndSwap(nil, new(time.Now()))
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
