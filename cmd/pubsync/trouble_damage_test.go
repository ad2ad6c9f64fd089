// A damaged or replaced store ends every command and is left as it is. Packages bolt and engine have
// what counts as damage, also under a worker.

package main_test

import (
	"bytes"
	"cmp"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

func TestADamagedStoreEndsEveryCommandWithExit5AndIsLeftAsItIs(t *testing.T) {
	unraced(t)
	s := open(t, sandbox.Options{})
	s.lamps(20)
	s.set("ADMIN_LISTEN", "off")
	s.imported()
	sound, path := s.storeBytes(), s.env["PUBSYNC_STORE_PATH"]
	for _, tt := range []struct {
		name     string
		damaged  []byte
		commands []string
	}{
		{"nothing left", nil, []string{
			"run", "run --once", "plan", "status", "publications", "explain x", "retry x", "approve --all", "backup copy.db",
			"doctor",
		}},
		{"another file", bytes.Repeat([]byte("not a store "), 2000), []string{"run"}},
		{"a flipped bit in each record", bytes.ReplaceAll(sound, []byte("amp "), []byte("imp ")), []string{
			"run --once --full", "publications", "backup copy.db", "doctor",
		}},
	} {
		if err := os.WriteFile(path, tt.damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, command := range tt.commands {
			r := s.call(strings.Fields(command)...)
			said := r.stdout + r.stderr
			if r.code != 5 || strings.Count(cmp.Or(r.stdout, r.stderr), path) != 1 || !strings.Contains(said, "corrupt") {
				t.Errorf("%s: pubsync %s: exit %d, want 5 and the store once: %s", tt.name, command, r.code, said)
			}
			if !strings.Contains(said, "put a backup in its place") || !strings.Contains(said, "pubsync run makes a new one") ||
				strings.Contains(said, "goroutine ") {
				t.Errorf("%s: pubsync %s names no way out, or panics: %s", tt.name, command, said)
			}
			if now := s.storeBytes(); len(now) != len(tt.damaged) || command == "run" && !bytes.Equal(now, tt.damaged) {
				t.Fatalf("%s: pubsync %s changed the file", tt.name, command)
			}
		}
	}
	if left, _ := filepath.Glob(filepath.Join(s.dir, "*copy.db*")); len(left) != 0 {
		t.Errorf("of the backup there is %v", left)
	}
}

// A backup put in the place of the store of a running worker: what the worker would go on to write
// were lost.
func TestAStoreThatIsReplacedEndsTheWorker(t *testing.T) {
	s := open(t, sandbox.Options{})
	id := s.lamps(1)[0]
	w := s.work()
	w.settles(1)
	s.ends(0, "backup", "saved.db")
	if err := os.Rename(filepath.Join(s.dir, "saved.db"), s.env["PUBSYNC_STORE_PATH"]); err != nil {
		t.Fatal(err)
	}
	if status := w.hook("PUBLICATION_CREATED", created(id)); status != http.StatusServiceUnavailable {
		t.Errorf("a webhook is answered %d, want %d", status, http.StatusServiceUnavailable)
	}
	if code, said := w.code(30*time.Second), w.stderr.String(); code != 5 || !strings.Contains(said, "replaced") ||
		!strings.Contains(said, "start it again") {
		t.Errorf("exit %d, %s", code, said)
	}
	if sum := s.imported(); sum.Created != 0 {
		t.Errorf("the run with the backup: %+v", sum)
	}
}
