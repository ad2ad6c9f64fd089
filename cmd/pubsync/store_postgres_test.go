//go:build unix

// The state may be kept in PostgreSQL: then each command works as with a file.

package main_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store/postgrestest"
)

// secretOf is the password in the address of the tests' database, which asks for none.
const secretOf = "a-password-that-nobody-prints"

// database is the server of the tests that neither stop nor kill theirs: each has a database of it.
var database = sync.OnceValues(postgrestest.Run)

var databases atomic.Int32

// inPostgres gives a site a database in the place of its file, of the server of all tests.
func inPostgres(t *testing.T, s *site) {
	t.Helper()
	postgrestest.Need(t)
	server, err := database()
	if err != nil {
		t.Fatal(err)
	}
	s.storeIn(server.Create(t, fmt.Sprint("pubsync_", databases.Add(1))))
}

// storeIn sets the store's address, with a password that must not be shown.
func (s *site) storeIn(address string) {
	s.set("STORE_PATH", "", "STORE_URL", strings.Replace(address, "pubsync@", "pubsync:"+secretOf+"@", 1))
}

func (s *site) storeAs(user string) string {
	return strings.Replace(s.env["PUBSYNC_STORE_URL"], "pubsync:"+secretOf+"@", user+"@", 1)
}

// A worker, the commands beside it, and those after it: all find the same state. A worker that was stopped for
// longer than its lease takes it again when it goes on, and reads all anew: another may have worked meanwhile.
func TestAWorkerOnPostgreSQL(t *testing.T) {
	s := open(t, sandbox.Options{})
	inPostgres(t, s)
	s.lamps(3)
	said := ""
	do := func(code int, says string, args ...string) {
		t.Helper()
		r := s.ends(code, args...)
		if said += r.stdout + r.stderr; !strings.Contains(r.stdout+r.stderr, says) {
			t.Errorf("%v: got %s%s, want %q in it", args, r.stdout, r.stderr, says)
		}
	}
	do(5, "", "status") // there is no store yet
	do(0, "", "plan", "--json")
	do(0, "", "run", "--once")
	do(0, "postgres://", "status", "--json")
	w := s.work()
	do(0, `"live": 3`, "status", "--json")
	s.market.AddSound(1)
	do(0, "", "run", "--once")                // the worker is asked
	do(5, "is held by process", "run")        // at the same address
	s.env = s.env.with("ADMIN_LISTEN", "off") // a killed one's, for all that a command knows
	second := launch(t, s.dir, s.env, "run")
	second.logs("another process works on this account")
	second.kill()
	w.signal(syscall.SIGSTOP)
	do(0, "", "run", "--once") // waits for the lease of the one that hangs
	do(0, `"live": 4`, "status", "--json")
	w.signal(syscall.SIGCONT)
	w.logs("lease was lost")
	eventually(t, 20*time.Second, "the worker goes on", w.ready)
	s.market.AddSound(1)
	w.post("/api/v1/sweep", "{}")
	w.settles(5)
	w.stop()
	if strings.Contains(said, secretOf) {
		t.Errorf("the password of the store is printed: %s", said)
	}
}

// A store is carried into the database and out of it again, and a worker goes on where the other
// one ended. A backup of both is one file.
func TestAStoreMovesToPostgreSQLAndBack(t *testing.T) {
	s := open(t, sandbox.Options{})
	s.lamps(3)
	first := s.env["PUBSYNC_STORE_PATH"]
	unchanged := func(after string) {
		t.Helper()
		if sum := s.imported("--full"); sum.Created+sum.Updated > 0 {
			t.Errorf("got %+v %s, want nothing created or updated", sum, after)
		}
	}
	s.ends(0, "run", "--once")
	inPostgres(t, s)
	address := s.env["PUBSYNC_STORE_URL"]
	if r := s.ends(0, "store", "copy", first, address); !strings.Contains(r.stdout, "3 publications") {
		t.Errorf("got %q, want that 3 publications were copied", r.stdout)
	}
	if r := s.ends(2, "store", "copy", first, address); strings.Contains(r.stderr, secretOf) {
		t.Errorf("the password is printed: %s", r.stderr)
	}
	unchanged("after the move to the database")

	w := s.work()
	backup, back := filepath.Join(s.dir, "backup.db"), filepath.Join(s.dir, "back.db")
	var kept struct{ Publications int }
	s.ends(0, "backup", backup, "--json").decode(t, &kept)
	if kept.Publications != 3 {
		t.Errorf("got %d publications in a backup of the database, want 3", kept.Publications)
	}
	if r := s.ends(5, "store", "copy", address, back); !strings.Contains(r.stderr, "stop it first") {
		t.Errorf("got %q of a store that a worker has open, want that it is to be stopped", r.stderr)
	}
	w.stop()
	s.ends(0, "store", "copy", address, back)
	s.env = s.env.with("STORE_URL", "", "STORE_PATH", back)
	unchanged("after the move back")
	s.env = s.env.with("STORE_PATH", backup)
	if sum := s.imported(); sum.Created > 0 {
		t.Errorf("got %+v on the backup, want nothing created", sum)
	}
}
