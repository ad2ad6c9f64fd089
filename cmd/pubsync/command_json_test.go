// Each command that prints data prints one JSON document with --json.

package main_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// Without --json it is for people, and not on standard error.
func TestEveryCommandThatPrintsDataPrintsOneJSONDocument(t *testing.T) {
	unraced(t)
	s := open(t, sandbox.Options{})
	id := s.lamps(2)[0]
	s.imported()
	for _, command := range []string{
		"run --once", "run --once --dry-run", "plan", "status", "publications", "explain " + id, "doctor", "adapters",
		"adapters http", "backup", "version", "retry --all", "approve --all",
		"approve --list", "decline --list",
	} {
		for _, form := range []string{"", "--json"} {
			args := strings.Fields(command + " " + form)
			if command == "backup" {
				args = append(args, filepath.Join(t.TempDir(), "copy.db"))
			}
			r := s.call(args...)
			var document any
			err := oneDocument(r.stdout, &document)
			if r.code != 0 || form != "" && err != nil ||
				form == "" && (strings.TrimSpace(r.stdout) == "" || json.Valid([]byte(r.stdout))) {
				t.Errorf("pubsync %s %s: exit %d, want 0, %v: %s %s", command, form, r.code, err, tail(r.stdout), tail(r.stderr))
			}
		}
	}
}

// A run that cannot begin prints its document too, with the exit code and the reason.
func TestARunThatCannotBeginPrintsItsDocument(t *testing.T) {
	unraced(t)
	s := open(t, sandbox.Options{})
	folder := t.TempDir()
	for name, r := range map[string]result{
		"no such env file":          s.call("run", "--once", "--json", "--env-file", filepath.Join(folder, "none.env")),
		"wrong usage":               s.call("run", "--once", "--json", "--fail-on", "nothing"),
		"several accounts in files": s.callWith([]string{"ACCOUNTS_DIR", folder}, "run", "--once", "--json"),
	} {
		var document struct {
			Exit  int
			Error string
		}
		err := oneDocument(r.stdout, &document)
		if err != nil || r.code != 2 || document.Exit != 2 || document.Error == "" {
			t.Errorf("%s: exit %d, want 2, %v: %s", name, r.code, err, tail(r.stdout))
		}
	}
}
