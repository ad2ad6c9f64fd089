package setup

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/cmd/config"
)

// A path is the address of a file.
func TestPlaceOf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pubsync.db")
	for address, want := range map[string]string{
		path:             path,
		"pubsync.db":     config.Absolute("pubsync.db"),
		"bolt://" + path: path,
		"BOLT://here.db": config.Absolute("here.db"),
		`C:\pubsync.db`:  config.Absolute(`C:\pubsync.db`),
		"C://pubsync.db": config.Absolute("C://pubsync.db"),
		"shop:1.db":      config.Absolute("shop:1.db"),
		"a b://c":        config.Absolute("a b://c"),

		"postgres://user:word@host/db":   "postgres://user:word@host/db",
		"postgresql://user:word@host/db": "postgres://user:word@host/db",
	} {
		if e, fault := placeOf(address, ""); fault != "" || e.at != want {
			t.Errorf("%s: got a store at %q and the fault %q, want %q", address, e.at, fault, want)
		}
	}
}

// An address of a scheme without an engine is a fault of the configuration. It names the schemes
// that there are, and does not repeat the address.
func TestAnUnknownEngineIsAFault(t *testing.T) {
	env, err := config.Read([]string{"PUBSYNC_STORE_PATH=nosuch://user:password@host/db"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, faults := New(env, config.ToLook, "test")
	if len(faults) != 1 {
		t.Fatalf("got the faults %v, want one", faults)
	}
	got := faults[0].Error()
	if !strings.Contains(got, "PUBSYNC_STORE_PATH") || !strings.Contains(got, "bolt://") ||
		strings.Contains(got, "password") || c.StorePath != "" {
		t.Errorf("got the fault %q and a store at %q, want the schemes, neither the address nor a store", got, c.StorePath)
	}
}

// Two processes that look alike are told apart: a lease is renewed by its owner's name.
func TestEachProcessHasAName(t *testing.T) {
	if one, other := me(""), me(""); one == other {
		t.Errorf("two of one second, one number and one host are both %q", one)
	}
}
