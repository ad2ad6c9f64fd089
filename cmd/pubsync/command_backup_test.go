// backup makes a whole copy, also beside a worker, and leaves nothing where it fails.

package main_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

func TestWhereABackupGoes(t *testing.T) {
	unraced(t)
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
