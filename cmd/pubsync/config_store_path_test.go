// Which commands make a store.

package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// Only run and demo make a store, and say where.
func TestOnlySomeCommandsMakeAStore(t *testing.T) {
	unraced(t)
	s := open(t, sandbox.Options{})
	s.set("STORE_PATH", "own.db")
	for _, args := range [][]string{{"doctor"}, {"adapters"}, {"version"}, {"plan"}} {
		if r := s.call(args...); r.code != 0 {
			t.Errorf("pubsync %s: exit %d, want 0, %s", strings.Join(args, " "), r.code, r.stderr)
		}
	}
	if left, err := os.ReadDir(s.dir); err != nil || len(left) != 0 {
		t.Fatalf("files were made: %v, %v", left, err)
	}
	for _, made := range []bool{true, false} {
		r := s.call("run", "--once")
		if got := strings.Contains(r.stderr, "made a new store"); got != made ||
			made && !strings.Contains(r.stderr, filepath.Join(s.dir, "own.db")) {
			t.Errorf("the log tells of a new store: %t, want %t, with its path: %s", got, made, r.stderr)
		}
	}
}
