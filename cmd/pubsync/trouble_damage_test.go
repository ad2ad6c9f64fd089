// A damaged or replaced store ends every command and is left as it is.

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

// storeCommands is every command that opens the store.
var storeCommands = [][]string{
	{"run"},
	{"run", "--once", "--json"},
	{"run", "--once", "--full"},
	{"run", "--once", "--dry-run"},
	{"plan"},
	{"status"},
	{"publications"},
	{"explain", "x"},
	{"retry", "x"},
	{"retry", "--failed"},
	{"approve", "--all"},
	{"backup", "copy.db"},
	{"doctor"},
}

// flipped is a store with a flipped bit in each text that names a lamp. The values of all records
// hold such a text.
func flipped(data []byte) []byte {
	return bytes.ReplaceAll(data, []byte("amp "), []byte("imp "))
}

// damagedSite has the catalogue of the site's shop import 20 lamps, and puts a damaged store in the place
// of the sound one.
func damagedSite(t *testing.T, damage func(sound []byte) []byte) (s *site, path string, damaged []byte) {
	t.Helper()
	s = open(t, sandbox.Options{})
	s.lamps(20)
	s.set("SHOP_ADAPTER", "catalog", "CATALOG_DIR", filepath.Join(s.dir, "pages"), "CATALOG_URL",
		"https://lamps.example/", "HTTP_URL", "", "HTTP_TOKEN", "", "ADMIN_LISTEN", "off")
	s.imported()
	damaged, path = damage(s.storeBytes()), s.env["PUBSYNC_STORE_PATH"]
	if err := os.WriteFile(path, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	return s, path, damaged
}

// refuses checks that a command ends with exit 5, and names the store once and both ways out.
func (s *site) refuses(path string, args ...string) {
	s.t.Helper()
	r := s.call(args...)
	said := r.stdout + r.stderr
	if r.code != 5 || strings.Count(cmp.Or(r.stdout, r.stderr), path) != 1 || !strings.Contains(said, "corrupt") {
		s.t.Errorf("pubsync %s: exit %d, want 5, %s", strings.Join(args, " "), r.code, said)
	}
	if !strings.Contains(said, "put a backup in its place") || !strings.Contains(said, "pubsync run makes a new one") {
		s.t.Errorf("pubsync %s names no way out: %s", strings.Join(args, " "), said)
	}
	if strings.Contains(said, "panic") || strings.Contains(said, "goroutine ") {
		s.t.Errorf("pubsync %s: %s", strings.Join(args, " "), said)
	}
	if left, _ := filepath.Glob(filepath.Join(s.dir, "*copy.db*")); len(left) != 0 {
		s.t.Errorf("of the backup there is %v", left)
	}
}

func TestADamagedStoreEndsEveryCommandWithExit5AndIsLeftAsItIs(t *testing.T) {
	unraced(t)
	t.Parallel()
	for _, tt := range []struct {
		name     string
		damage   func(sound []byte) []byte
		commands [][]string
	}{
		{"nothing left", func([]byte) []byte { return nil }, storeCommands},
		{"cut off", func(d []byte) []byte { return d[:20_000] }, storeCommands[:1]},
		{"another file", func([]byte) []byte { return bytes.Repeat([]byte("not a store "), 2000) }, storeCommands[:1]},
		{"a damaged value, met by what reads it", flipped, [][]string{
			{"run", "--once", "--full"}, {"plan", "--full"}, {"publications"}, {"backup", "copy.db"}, {"doctor"},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, path, damaged := damagedSite(t, tt.damage)
			for _, args := range tt.commands {
				s.refuses(path, args...)
				if !strings.HasPrefix(tt.name, "a damaged value") && !bytes.Equal(s.storeBytes(), damaged) {
					t.Fatalf("pubsync %s changed the file", strings.Join(args, " "))
				}
			}
		})
	}
}

// A file that is cut off under a worker ends it, and it says what to do.
func TestAStoreThatIsDamagedUnderTheWorkerEndsItWithExit5(t *testing.T) {
	s := open(t, sandbox.Options{})
	s.lamps(20)
	w := s.work("SWEEP_SCHEDULE", "@every 1s")
	w.settles(20)
	path := s.env["PUBSYNC_STORE_PATH"]
	if err := os.Truncate(path, 8192); err != nil {
		t.Fatal(err)
	}
	if code := w.code(30 * time.Second); code != 5 {
		t.Errorf("exit %d, want 5", code)
	}
	said := w.stderr.String()
	if !strings.Contains(said, "pubsync: store "+path+": store is corrupt") ||
		!strings.Contains(said, "pubsync run makes a new one") || strings.Contains(said, "goroutine ") {
		t.Errorf("it names no way out, or panics: %s", tail(said))
	}
}

// A backup put in the place of the store of a running worker: what the worker would go on to write
// were lost.
func TestAStoreThatIsReplacedEndsTheWorker(t *testing.T) {
	s := open(t, sandbox.Options{})
	id := s.lamps(1)[0]
	w := s.work()
	w.settles(1)
	path := s.env["PUBSYNC_STORE_PATH"]
	s.call("backup", "saved.db")
	if err := os.Rename(filepath.Join(s.dir, "saved.db"), path); err != nil {
		t.Fatal(err)
	}
	if status := w.hook("PUBLICATION_CREATED", created(id)); status != http.StatusServiceUnavailable {
		t.Errorf("a webhook is answered %d, want %d", status, http.StatusServiceUnavailable)
	}
	if code, said := w.code(30*time.Second), w.stderr.String(); code != 5 ||
		!strings.Contains(said, "replaced") ||
		!strings.Contains(said, "start it again") {
		t.Errorf("exit %d, %s", code, said)
	}
	if sum := s.imported(); sum.Created != 0 {
		t.Errorf("the run with the backup: %+v", sum)
	}
}
