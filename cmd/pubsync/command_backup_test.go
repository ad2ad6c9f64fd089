// backup makes a whole copy, also beside a worker, and leaves nothing where it fails.

package main_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

// Backups taken while an import runs and webhooks pour in open, are sound, and hold everything that
// was acknowledged before they began.
func TestBackupsUnderLoadHoldWhatWasAcknowledged(t *testing.T) {
	s := open(t, sandbox.Options{})
	s.lamps(1)
	s.shop.rules(always(shoptest.Reply{Wait: 20 * time.Millisecond}))
	w := s.work()
	s.market.AddSound(150)
	if status := w.post("/api/v1/sweep", "{}"); status != http.StatusAccepted {
		t.Fatalf("sweep: %d, want %d", status, http.StatusAccepted)
	}
	const senders, most = 2, 300
	var acknowledged sync.Map // id -> true
	var enough atomic.Bool
	var sending sync.WaitGroup
	for range senders {
		sending.Go(func() {
			for i := 0; i < most && !enough.Load(); i++ {
				id := s.add(lamp(100 + i)) // no sweep lists it
				res, _ := ask(t, "POST", w.hooks+"/webhooks", created(id),
					map[string]string{"X-Service-Signature": signature(created(id))})
				if res.StatusCode == http.StatusNoContent {
					acknowledged.Store(id, true)
				}
				time.Sleep(2 * time.Millisecond) // or they are through before the first backup begins
			}
		})
	}
	var copies []string
	var before []map[string]bool
	for i := range 2 {
		known := map[string]bool{}
		acknowledged.Range(func(id, _ any) bool { known[id.(string)] = true; return true })
		file := filepath.Join(s.dir, fmt.Sprintf("copy-%d.db", i))
		if r := s.call("backup", file); r.code != 0 {
			t.Fatalf("backup %d: exit %d, want 0, %s", i, r.code, r.stderr)
		}
		copies, before = append(copies, file), append(before, known)
	}
	enough.Store(true)
	sending.Wait()
	w.kill()
	for i, file := range copies {
		s.set("STORE_PATH", file)
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("backup %d: %v, %v", i, info, err)
		}
		if r := s.call("doctor", "--json"); strings.Contains(r.stdout, "corrupt") || r.code == 5 {
			t.Errorf("backup %d: %s", i, r.stdout)
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lacks := 0
		for id := range before[i] {
			if !bytes.Contains(data, []byte(id)) {
				lacks++
			}
		}
		if lacks > 0 {
			t.Errorf("backup %d lacks %d of the %d that were acknowledged before it began", i, lacks, len(before[i]))
		}
	}
}

func TestWhereABackupGoes(t *testing.T) {
	s := open(t, sandbox.Options{})
	s.lamps(2)
	s.imported()
	sound := s.storeBytes()
	if err := writeFile(filepath.Join(s.dir, "there.db"), "something"); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(s.dir, "link.db")
	if err := os.Symlink(s.env["PUBSYNC_STORE_PATH"], link); err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]string{
		"the store itself": s.env["PUBSYNC_STORE_PATH"], "a link to it": link,
		"what is there": filepath.Join(s.dir, "there.db"), "a folder": s.dir,
		"a folder that is not there": filepath.Join(s.dir, "no", "copy.db"), "nowhere": "",
	} {
		if r := s.call("backup", file); r.code == 0 || r.stderr == "" {
			t.Errorf("to %s: exit %d, %s", name, r.code, r.stderr)
		}
	}
	if !bytes.Equal(s.storeBytes(), sound) {
		t.Error("the store was written")
	}
	if data, err := os.ReadFile(filepath.Join(s.dir, "there.db")); err != nil || string(data) != "something" {
		t.Errorf("what was there: %q, %v", data, err)
	}
	s.set("STORE_PATH", filepath.Join(s.dir, "none.db"))
	if r := s.call("backup", filepath.Join(s.dir, "copy.db")); r.code != 5 || !strings.Contains(r.stderr, "no store") {
		t.Errorf("of no store: exit %d, want 5, %s", r.code, r.stderr)
	}
	if left, _ := filepath.Glob(filepath.Join(s.dir, "*copy.db*")); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestABackupIsAStore(t *testing.T) {
	s := open(t, sandbox.Options{})
	ids := s.lamps(3)
	w := s.work()
	w.settles(3)
	copied := filepath.Join(s.dir, "copy.db")
	if r := s.call("backup", copied); r.code != 0 {
		t.Fatalf("backup beside the worker: exit %d, want 0, %s", r.code, r.stderr)
	}
	if r := s.call("backup", copied); r.code == 0 {
		t.Error("a backup was written over")
	}
	w.stop()
	if r := s.call("backup", filepath.Join(s.dir, "another.db")); r.code != 0 {
		t.Errorf("backup without a worker: exit %d, want 0, %s", r.code, r.stderr)
	}
	if info, err := os.Stat(copied); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the backup: %v, %v", info, err)
	}
	s.set("STORE_PATH", copied)
	if lines := s.lines("live"); len(lines) != 3 || lines[ids[0]].Reported != "success" {
		t.Errorf("the backup holds %+v", lines)
	}
	s.shop.forget()
	s.market.Forget()
	sum := s.imported() // the shop may hold what was written after the backup: each is written once
	if n := len(s.shop.requests(shoptest.Publish)); n != 3 {
		t.Errorf("a run with the backup: %d writes, want 3, %+v", n, sum)
	}
	if n := len(s.market.Reports()); n != 0 {
		t.Errorf("a run with the backup: %d reports, want none, %+v", n, sum)
	}
	s.shop.forget()
	if sum := s.imported(); len(s.shop.requests("")) != 0 {
		t.Errorf("the run after that: %d requests of the shop, want none, %+v", len(s.shop.requests("")), sum)
	}
}
