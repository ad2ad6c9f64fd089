// Where the store is, and which commands make one.

package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

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

// Only run and demo make a store, and say where.
func TestOnlySomeCommandsMakeAStore(t *testing.T) {
	unraced(t)
	s := open(t, sandbox.Options{})
	s.lamps(2)
	s.set("STORE_PATH", "own.db")
	path := filepath.Join(s.dir, "own.db")
	for _, args := range [][]string{{"doctor"}, {"adapters"}, {"version"}, {"plan"}} {
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
