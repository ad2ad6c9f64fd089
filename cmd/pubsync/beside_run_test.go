// A command beside a worker asks it over its admin address.

package main_test

import (
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

func TestOnceBesideAWorkerWithAnotherStoreOrWithoutAnAddress(t *testing.T) {
	t.Parallel()
	t.Run("no admin address", func(t *testing.T) {
		s := open(t, sandbox.Options{})
		s.set("ADMIN_LISTEN", "off")
		s.lamps(1)
		p := launch(t, s.dir, s.env.with("SWEEP_SCHEDULE", "@every 1h"), "run")
		eventually(t, 10*time.Second, "the worker has imported", func() bool { return len(s.market.Reports()) == 1 })
		for _, args := range [][]string{
			{"run", "--once"},
			{"run"},
			{"status"},
			{"publications"},
			{"approve", "--all"},
			{"plan"},
		} {
			if r := s.call(args...); r.code != 5 || !strings.Contains(r.stderr, "is held by another process: ") {
				t.Errorf("pubsync %s: exit %d, %s, want 5 and the reason", strings.Join(args, " "), r.code, r.stderr)
			}
		}
		p.signal(sigterm)
		if code := p.code(20 * time.Second); code != 0 {
			t.Errorf("the worker ended with %d", code)
		}
	})
	t.Run("a second worker", func(t *testing.T) {
		s := open(t, sandbox.Options{})
		w := s.work()
		for _, beside := range [][]string{{"ADMIN_LISTEN", freePort(t)}, {"LOG_LEVEL", "warn"}} {
			if r := s.callWith(beside, "run"); r.code != 5 || !strings.Contains(r.stderr, "is held by another process: ") {
				t.Errorf("with %v: exit %d, %s, want 5 and the reason", beside, r.code, r.stderr)
			}
		}
		r := s.callWith([]string{"ADMIN_LISTEN", freePort(t)}, "status")
		if r.code != 5 || !strings.Contains(r.stderr, "set PUBSYNC_ADMIN_LISTEN to the worker's address") {
			t.Errorf("a command with another address: exit %d, %s, want 5 and what to do", r.code, r.stderr)
		}
		w.kill()
		s.work().stop()
	})
	t.Run("the address of a worker with another store", func(t *testing.T) {
		s := open(t, sandbox.Options{})
		s.work()
		other := freePort(t)
		s.work("ADMIN_LISTEN", other, "STORE_PATH", filepath.Join(s.dir, "other.db"))
		r := s.callWith([]string{"ADMIN_LISTEN", other}, "doctor")
		if r.code != 5 || !strings.Contains(r.stdout, "FAIL store") || !strings.Contains(r.stdout, "has another store") {
			t.Errorf("doctor: exit %d, %s, want 5 and the reason", r.code, r.stdout)
		}
	})
	t.Run("another run --once in progress", func(t *testing.T) {
		s := open(t, sandbox.Options{})
		s.lamps(1)
		held := make(chan struct{})
		release := sync.OnceFunc(func() { close(held) })
		defer release()
		s.shop.rules(func(shoptest.Call) shoptest.Reply {
			<-held
			return shoptest.Reply{}
		})
		first := launch(t, s.dir, s.env, "run", "--once", "--json")
		eventually(t, 10*time.Second, "the first is at work", func() bool { return len(s.contentReads()) == 1 })
		r := s.call("run", "--once", "--json")
		if r.code != 5 || !strings.Contains(r.stderr, "where it is a run --once wait") {
			t.Errorf("exit %d, %s, want 5 with the reason", r.code, r.stderr)
		}
		release()
		if code := first.code(20 * time.Second); code != 0 {
			t.Errorf("the first ended with %d", code)
		}
	})
	t.Run("interrupted", func(t *testing.T) {
		s := open(t, sandbox.Options{})
		s.lamps(1)
		held := make(chan struct{})
		defer close(held)
		s.shop.rules(func(shoptest.Call) shoptest.Reply {
			<-held
			return shoptest.Reply{}
		})
		s.work()
		p := launch(t, s.dir, s.env, "run", "--once")
		eventually(t, 10*time.Second, "the worker is asked", func() bool {
			return strings.Contains(p.stderr.String(), "asking it")
		})
		p.signal(syscall.SIGINT)
		if code := p.code(20 * time.Second); code != 1 || !strings.Contains(p.stderr.String(), "interrupted: the worker") {
			t.Errorf("exit %d, %s, want 1 and that the worker goes on", code, p.stderr.String())
		}
	})
}

func TestTheStoreIsRefusedByAnotherAccount(t *testing.T) {
	unraced(t)
	s := open(t, sandbox.Options{})
	s.lamps(1)
	s.imported()
	other := sandbox.Start(sandbox.Options{Token: marketToken, Account: "somebody-else", RestoreRate: 2000})
	defer other.Close()
	s.set("MARKETPLACE_URL", other.URL)
	if sum := s.once("--full"); sum.Exit != 5 {
		t.Errorf("exit %d, want 5", sum.Exit)
	}
	if s.shop.onSale() != 1 {
		t.Error("the products of the first account were taken out")
	}
}
