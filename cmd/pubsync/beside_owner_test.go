// The note beside a store is followed only where nobody else may write it.

package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// A note beside the store that somebody else may have written is not followed: it says where
// commands send the admin token.
func TestANoteThatOthersMayWriteIsNotFollowed(t *testing.T) {
	s := open(t, sandbox.Options{})
	w := s.work()
	note := s.env["PUBSYNC_STORE_PATH"] + ".owner"
	sound, err := os.ReadFile(note)
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(s.dir, "kept")
	if err := writeFile(kept, string(sound)); err != nil {
		t.Fatal(err)
	}
	for name, lay := range map[string]func() error{
		"a link":     func() error { return os.Symlink(kept, note) },
		"a folder":   func() error { return os.Mkdir(note, 0o700) },
		"all's file": func() error { return writeFile(note, string(sound)) },
	} {
		if err := os.RemoveAll(note); err != nil {
			t.Fatal(err)
		}
		if err := lay(); err != nil {
			t.Fatal(err)
		}
		if name == "all's file" {
			if err := os.Chmod(note, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if r := s.call("status"); r.code != 5 || !strings.Contains(r.stderr, note) ||
			!strings.Contains(r.stderr, "cannot be trusted") {
			t.Errorf("%s: exit %d, want 5, %s", name, r.code, r.stderr)
		}
	}
	if err := os.RemoveAll(note); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(note, sound, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := s.call("status"); r.code != 0 {
		t.Errorf("with the note as it was: exit %d, want 0, %s", r.code, r.stderr)
	}
	w.stop()
}
