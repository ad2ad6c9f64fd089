package setup

import (
	"cmp"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/cmd/config"
)

// A path is the address of a file.
func TestSetupAt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pubsync.db")
	for address, want := range map[string]string{
		path:             path,
		"pubsync.db":     config.Absolute("pubsync.db"),
		`C:\pubsync.db`:  config.Absolute(`C:\pubsync.db`),
		"C://pubsync.db": config.Absolute("C://pubsync.db"),
		"shop:1.db":      config.Absolute("shop:1.db"),
		"a b://c":        config.Absolute("a b://c"),

		"postgres://user:word@host/db":   "postgres://user:word@host/db",
		"postgresql://user:word@host/db": "postgresql://user:word@host/db",
	} {
		c := setupAt(address, "")
		if cmp.Or(c.StoreURL, c.StorePath) != want || c.StoreIsFile() == strings.HasPrefix(address, "postgres") {
			t.Errorf("%s: got a store at %q, a file: %t, want %q", address, c.StorePath, c.StoreIsFile(), want)
		}
	}
}

// Two processes that look alike are told apart: a lease is renewed by its owner's name.
func TestEachProcessHasAName(t *testing.T) {
	if one, other := me(""), me(""); one == other {
		t.Errorf("two of one second, one number and one host are both %q", one)
	}
}
