// Where the store is, and which commands make one.

package main_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// filesIn is the names in a folder.
func filesIn(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// A relative path in an env file means the same store from every folder, as cron and a person stand
// in different ones.
func TestARelativeStorePathIsRelativeToItsEnvFile(t *testing.T) {
	s := open(t, sandbox.Options{})
	s.lamps(2)
	elsewhere := t.TempDir()
	if err := os.Mkdir(filepath.Join(s.dir, "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(s.dir, "pubsync.env")
	if err := writeFile(file, "PUBSYNC_STORE_PATH=data/shop.db\n"); err != nil {
		t.Fatal(err)
	}
	s.set("STORE_PATH", "")
	want := filepath.Join(s.dir, "data", "shop.db")

	s.imported("--env-file", "pubsync.env")
	if _, err := os.Stat(want); err != nil {
		t.Fatalf("the store is not beside the env file: %v", err)
	}
	r := call(t, elsewhere, s.env, "run", "--once", "--json", "--env-file", file)
	if sum := s.summaryOf(r); sum.Exit != 0 || sum.Created != 0 || sum.Unchanged+sum.Updated != 0 {
		t.Errorf("a run from another folder: %+v", sum)
	}
	if strings.Contains(r.stderr, "made a new store") {
		t.Errorf("it says that it made a store: %s", r.stderr)
	}
	if left := filesIn(t, elsewhere); len(left) != 0 {
		t.Errorf("files in the other folder: %v", left)
	}
	if r := call(t, elsewhere, s.env, "status", "--env-file", file); r.code != 0 || !strings.Contains(r.stdout, want) {
		t.Errorf("status from another folder: exit %d, want %s in: %s%s", r.code, want, r.stdout, r.stderr)
	}
	// The process's own environment is relative to where the process stands.
	if r := call(t, elsewhere, s.env.with("STORE_PATH", "data/shop.db"), "status", "--env-file", file); r.code != 5 ||
		!strings.Contains(r.stderr, filepath.Join(elsewhere, "data", "shop.db")) {
		t.Errorf("the environment's path: exit %d, want 5, %s", r.code, r.stderr)
	}
}

// Only run and demo make a store, and say where.
func TestOnlySomeCommandsMakeAStore(t *testing.T) {
	s := open(t, sandbox.Options{})
	ids := s.lamps(2)
	s.set("STORE_PATH", "own.db")
	path := filepath.Join(s.dir, "own.db")
	for _, args := range [][]string{
		{"status"},
		{"status", "--json"},
		{"publications"},
		{"explain", ids[0]},
		{"retry", ids[0]},
		{"retry", "--failed"},
		{"approve", "--all"},
		{"backup", "copy.db"},
	} {
		if r := s.call(args...); r.code != 5 || !strings.Contains(r.stderr, "no store at "+path) || r.stdout != "" {
			t.Errorf("pubsync %s: exit %d, want 5 and the store's absolute path: %s%s", strings.Join(args, " "), r.code,
				r.stdout, r.stderr)
		}
	}
	for _, args := range [][]string{{"plan", "--json"}, {"run", "--once", "--dry-run", "--json"}} {
		if p := s.planOf(s.call(args...)); !slices.Equal(slices.Sorted(slices.Values(p.Create)),
			slices.Sorted(slices.Values(ids))) {
			t.Errorf("pubsync %s: %+v, want both created", strings.Join(args, " "), p)
		}
	}
	for _, args := range [][]string{{"doctor"}, {"adapters"}, {"version"}} {
		if r := s.call(args...); r.code != 0 {
			t.Errorf("pubsync %s: exit %d, want 0, %s", strings.Join(args, " "), r.code, r.stderr)
		}
	}
	if left := filesIn(t, s.dir); len(left) != 0 {
		t.Fatalf("files were made: %v", left)
	}
	r := s.call("run", "--once", "--json")
	if sum := s.summaryOf(r); sum.Exit != 0 || sum.Created != 2 || !strings.Contains(r.stderr, "made a new store") ||
		!strings.Contains(r.stderr, path) {
		t.Errorf("a run: %+v, want its store named: %s", sum, r.stderr)
	}
	if r := s.call("run", "--once"); strings.Contains(r.stderr, "made a new store") {
		t.Errorf("the second run: %s", r.stderr)
	}
	if r := s.callWith([]string{"STORE_PATH", "worker.db", "ADMIN_LISTEN", freePort(t), "STOCK_BUFFER", "-1"},
		"run"); r.code != 2 {
		t.Errorf("exit %d", r.code)
	}
	w := s.work("STORE_PATH", "worker.db")
	w.logs("made a new store")
	w.logs(filepath.Join(s.dir, "worker.db"))
	w.stop()
}
