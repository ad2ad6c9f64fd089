package bolt_test

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/pubsync/pubsync/store/bolt"
)

func TestHeld(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "solaris" || runtime.GOOS == "aix" {
		t.Skip("Held always says no on this system")
	}
	path := filepath.Join(t.TempDir(), "pubsync.db")
	if bolt.Held(path) {
		t.Error("a store that does not exist is held")
	}
	s, err := bolt.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bolt.Held(path) {
		t.Error("a store that is open for writing is not held")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	view, err := bolt.OpenView(path)
	if err != nil {
		t.Fatal(err)
	}
	defer view.Close() //nolint:errcheck // only read
	if bolt.Held(path) {
		t.Error("a store that is only read is held")
	}
}
