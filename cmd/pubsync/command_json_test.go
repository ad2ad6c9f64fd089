// Each command that prints data prints one JSON document with --json.

package main_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

func TestEveryCommandThatPrintsDataPrintsOneJSONDocument(t *testing.T) {
	s := open(t, sandbox.Options{})
	id := s.lamps(2)[0]
	s.imported()
	for _, beside := range []bool{false, true} {
		if beside {
			w := s.work()
			w.settles(2)
		}
		for _, args := range [][]string{
			{"run", "--once"},
			{"run", "--once", "--dry-run"},
			{"plan"},
			{"status"},
			{"publications"},
			{"explain", id},
			{"doctor"},
			{"adapters"},
			{"adapters", "http"},
			{"backup"},
			{"version"},
		} {
			if args[0] == "backup" {
				args = append(args, filepath.Join(t.TempDir(), "copy.db"))
			}
			r := s.call(append(args, "--json")...)
			var document any
			if err := oneDocument(r.stdout, &document); err != nil || r.code != 0 {
				t.Errorf("pubsync %s, beside a worker %t: exit %d, want 0, %v: %s %s", strings.Join(args, " "), beside, r.code, err,
					tail(r.stdout), tail(r.stderr))
			}
			if args[0] == "backup" {
				args[1] += ".2"
			}
			// Without --json it is for people, and not on standard error.
			if beside {
				continue
			}
			if r := s.call(args...); r.code != 0 || strings.TrimSpace(r.stdout) == "" || json.Valid([]byte(r.stdout)) {
				t.Errorf("pubsync %s, beside a worker %t: exit %d, want 0, %s", strings.Join(args, " "), beside, r.code,
					tail(r.stdout))
			}
		}
	}
}
