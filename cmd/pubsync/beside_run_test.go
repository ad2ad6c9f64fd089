// A command beside a worker asks it over its admin address.

package main_test

import (
	"os"
	"strconv"
	"strings"
	"sync"
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
			if r := s.call(args...); r.code != 5 || !strings.Contains(r.stderr, strconv.Itoa(p.cmd.Process.Pid)) {
				t.Errorf("pubsync %s: exit %d, %s, want 5 and the process named", strings.Join(args, " "), r.code, r.stderr)
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
		r := s.callWith([]string{"ADMIN_LISTEN", freePort(t)}, "run")
		if r.code != 5 {
			t.Errorf("exit %d, want 5", r.code)
		}
		for _, fact := range []string{
			strconv.Itoa(w.cmd.Process.Pid), "pubsync run", strings.TrimPrefix(w.admin, "http://"),
			"since ",
		} {
			if !strings.Contains(r.stderr, fact) {
				t.Errorf("%s is not named: %s", fact, r.stderr)
			}
		}
		w.kill()
		s.work().stop() // nothing is left of the first but its note
		if _, err := os.Stat(s.env["PUBSYNC_STORE_PATH"] + ".owner"); !os.IsNotExist(err) {
			t.Errorf("the note after a clean end: %v", err)
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
		if r := s.call("run", "--once", "--json"); r.code != 5 ||
			!strings.Contains(r.stderr, strconv.Itoa(first.cmd.Process.Pid)) {
			t.Errorf("exit %d, %s, want 5 with the reason", r.code, r.stderr)
		}
		release()
		if code := first.code(20 * time.Second); code != 0 {
			t.Errorf("the first ended with %d", code)
		}
	})
}

func TestTheStoreIsRefusedByAnotherAccount(t *testing.T) {
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
