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
		"bolt://here.db": config.Absolute("here.db"),

		"postgres://user:word@host/db":   "postgres://user:word@host/db",
		"postgresql://user:word@host/db": "postgres://user:word@host/db",
	} {
		e, fault := placeOf(address, "")
		if fault != "" {
			t.Errorf("%s: got %s, want no fault", address, fault)
		}
		if got := e.at; got != want {
			t.Errorf("%s: got a store at %q, want %q", address, got, want)
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
	for _, want := range []string{"PUBSYNC_STORE_PATH", "bolt://"} {
		if !strings.Contains(got, want) {
			t.Errorf("got the fault %q, want one that names %s", got, want)
		}
	}
	if strings.Contains(got, "password") {
		t.Errorf("got the fault %q, want one without the address", got)
	}
	if c.StorePath != "" {
		t.Errorf("got a store at %q, want none", c.StorePath)
	}
}
