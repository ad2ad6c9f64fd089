//go:build unix

package postgres

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/pubsync/pubsync/store/postgrestest"
)

// migrated is a database on which some migrations were made.
func migrated(t *testing.T, address string, all []string) (*Database, error) {
	t.Helper()
	d, err := connect(address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d, d.migrate(t.Context(), all)
}

// Processes that start at the same time on an empty database make its tables once. A later version
// adds what it needs, and an earlier one is refused from then on, for reading too.
func TestMigrations(t *testing.T) {
	t.Parallel()
	server := postgrestest.Start(t, false)
	address := server.Create(t, "migrations")
	later := append(migrations[:len(migrations):len(migrations)], "create table later (n integer)")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if d, err := Connect(context.Background(), address); err != nil {
				t.Errorf("got %v from one of several that start at once", err)
			} else {
				d.Close()
			}
		})
	}
	all.Wait()
	if _, err := migrated(t, address, later); err != nil {
		t.Fatalf("a later version: %v", err)
	}
	if _, err := migrated(t, address, later); err != nil {
		t.Fatalf("a later version for the second time: %v", err)
	}
	for name, open := range map[string]func() error{
		"Connect":  func() error { _, err := Connect(t.Context(), address); return err },
		"Open":     func() error { _, err := Open(t.Context(), address, "default"); return err },
		"OpenView": func() error { _, err := OpenView(t.Context(), address, "default"); return err },
	} {
		err := open()
		var schema *SchemaError
		if !errors.As(err, &schema) {
			t.Errorf("%s by an earlier version: got %v, want a *SchemaError", name, err)
			continue
		}
		if schema.Schema != len(later) || schema.Known != len(migrations) {
			t.Errorf("%s by an earlier version: got %+v, want both versions", name, schema)
		}
		if said := err.Error(); !strings.Contains(said, "newer") {
			t.Errorf("%s by an earlier version: got %q, want what to do", name, said)
		}
	}
}

// A migration that fails leaves the schema as it was.
func TestAMigrationThatFailsChangesNothing(t *testing.T) {
	t.Parallel()
	server := postgrestest.Start(t, false)
	address := server.Create(t, "migrations")
	broken := append(migrations[:1:1], "create table half (n integer); select nonsense")
	if _, err := migrated(t, address, broken); err == nil {
		t.Fatal("a migration that fails is no error")
	}
	d, err := migrated(t, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := d.version(t.Context()); n != 0 || err != nil {
		t.Errorf("got the version %d, %v after a migration that failed, want none", n, err)
	}
}
