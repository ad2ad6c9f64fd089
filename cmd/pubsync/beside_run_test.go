// A command beside a worker asks it over its admin address, and says so where it cannot. What it asks
// for is done, as the story "beside-a-worker" tells.

package main_test

import (
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
