// A command beside a worker asks it over its admin address, and says so where it cannot. What it asks
// for is done, as the story "beside-a-worker" tells. Package admin has what else its listener does.

package main_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

func TestCommandsThatCannotAskTheWorker(t *testing.T) {
	refused := func(s *site, says string, pairs []string, args ...string) {
		s.t.Helper()
		if r := s.callWith(pairs, args...); r.code != 5 || !strings.Contains(r.stdout+r.stderr, says) {
			s.t.Errorf("pubsync %v: exit %d, %s%s, want 5 and %q", args, r.code, r.stdout, r.stderr, says)
		}
	}
	t.Run("no admin address", func(t *testing.T) {
		s := open(t, sandbox.Options{})
		s.set("ADMIN_LISTEN", "off")
		launch(t, s.dir, s.env, "run").logs("worker started")
		for _, args := range [][]string{{"run", "--once"}, {"run"}, {"approve", "--all"}, {"plan"}} {
			refused(s, "is held by another process: ", nil, args...)
		}
	})
	t.Run("another admin address", func(t *testing.T) {
		s := open(t, sandbox.Options{})
		w := s.work()
		other := []string{"ADMIN_LISTEN", freePort(t)}
		refused(s, "set PUBSYNC_ADMIN_LISTEN to the worker's address", other, "status")
		taken := s.callWith([]string{"STORE_PATH", filepath.Join(s.dir, "other.db")}, "run")
		if taken.code != 2 || !strings.Contains(taken.stderr, "PUBSYNC_ADMIN_LISTEN") {
			t.Errorf("another worker at the same address: exit %d, want 2, %s", taken.code, taken.stderr)
		}
		s.work(append(other, "STORE_PATH", filepath.Join(s.dir, "other.db"))...)
		refused(s, "has another store", other, "doctor")
		w.stop()
	})
	t.Run("a run --once in progress, and one that is interrupted", func(t *testing.T) {
		s := open(t, sandbox.Options{})
		s.lamps(1)
		s.shop.rules(always(shoptest.Reply{Wait: time.Minute}))
		first := launch(t, s.dir, s.env, "run", "--once")
		eventually(t, 10*time.Second, "the first is at work", func() bool { return len(s.contentReads()) == 1 })
		refused(s, "where it is a run --once, or is stopping, wait", nil, "run", "--once")
		first.kill()
		s.work()
		p := launch(t, s.dir, s.env, "run", "--once")
		p.logs("asking it")
		p.signal(sigint)
		if code := p.code(20 * time.Second); code != 1 || !strings.Contains(p.stderr.String(), "interrupted: the worker") {
			t.Errorf("exit %d, %s, want 1 and that the worker goes on", code, p.stderr.String())
		}
	})
}

// Each path is served in its form. Off loopback a token is needed, also by our own commands, which say so where
// they have another.
func TestTheAdminListenerAndItsToken(t *testing.T) {
	unraced(t)
	const token = "admin-t0ken-of-the-owner"
	s := open(t, sandbox.Options{})
	s.lamps(2)
	_, port, _ := strings.Cut(freePort(t), ":")
	s.set("ADMIN_LISTEN", "0.0.0.0:"+port)
	if r := s.ends(2, "run"); !strings.Contains(r.stderr, "PUBSYNC_ADMIN_TOKEN") {
		t.Errorf("without a token: %s", r.stderr)
	}
	s.set("ADMIN_TOKEN", token)
	w := s.start()
	w.admin = "http://127.0.0.1:" + port
	eventually(t, commandBound, "all is on sale", func() bool { return w.ready() && s.shop.onSale() == 2 })
	s.ends(0, "run", "--once") // with the token the worker is asked
	if res, _ := w.ask("GET", "/metrics", "", nil); res.StatusCode != http.StatusUnauthorized {
		t.Errorf("the metrics without the token: %s, want 401", res.Status)
	}
	for path, want := range map[string][3]string{
		"/livez": {"200", "text/plain", ""}, "/readyz": {"200", "text/plain", ""}, "/": {"200", "text/html", "<title>"},
		"/metrics":                     {"200", "text/plain", "\npubsync_publications{state=\"live\"} 2\n"},
		"/api/v1/status":               {"200", "application/json", `"lastError":null`},
		"/api/v1/publications?limit=1": {"200", "application/json", `"after":"`},
		"/api/v1/publications/%252F":   {"404", "text/plain", ""},
	} {
		res, body := w.ask("GET", path, "", map[string]string{"Authorization": "Bearer " + token})
		if res.Status[:3] != want[0] || !strings.HasPrefix(res.Header.Get("Content-Type"), want[1]) ||
			!strings.Contains(body, want[2]) {
			t.Errorf("GET %s: %s, %s %s, want %q", path, res.Status, res.Header.Get("Content-Type"), tail(body), want)
		}
	}
	for _, args := range [][]string{{"status"}, {"run", "--once"}, {"backup", "copy.db"}, {"doctor"}} {
		r := s.callWith([]string{"ADMIN_TOKEN", "guess-of-a-neighbour"}, args...)
		if said := r.stdout + r.stderr; r.code != 5 || !strings.Contains(said, "PUBSYNC_ADMIN_TOKEN") ||
			strings.Contains(said, "guess") {
			t.Errorf("pubsync %s with another token: exit %d, %s", args[0], r.code, said)
		}
	}
	w.stop()
}
