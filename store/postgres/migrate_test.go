//go:build unix

package postgres

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/pubsync/pubsync/store/postgrestest"
)

// migrated is a database on which some migrations were made.
func migrated(t *testing.T, address string, all []migration) (*Database, error) {
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
	later := append(migrations[:len(migrations):len(migrations)], migration{6, "create table later (n integer)"})
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
		if !strings.Contains(fmt.Sprint(err), "form 6, and this pubsync knows 5: use the pubsync that wrote it") {
			t.Errorf("%s by an earlier version: got %v, want both forms and what to do", name, err)
		}
	}
}

// A migration that fails leaves the schema as it was.
func TestAMigrationThatFailsChangesNothing(t *testing.T) {
	t.Parallel()
	server := postgrestest.Start(t, false)
	address := server.Create(t, "migrations")
	broken := append(migrations[:1:1], migration{6, "create table half (n integer); select nonsense"})
	if _, err := migrated(t, address, broken); err == nil {
		t.Fatal("a migration that fails is no error")
	}
	d, err := connect(address)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if n, err := d.version(t.Context()); n != 0 || err != nil {
		t.Errorf("got the version %d, %v after a migration that failed, want none", n, err)
	}
}

// The tables of before are refused, for reading too, and left as they are.
func TestTheTablesOfBeforeAreRefused(t *testing.T) {
	t.Parallel()
	server := postgrestest.Start(t, false)
	address := server.Create(t, "before")
	server.Ask(t, "before", `create schema pubsync; create table pubsync.migration (number integer primary key);
		insert into pubsync.migration values (1), (2), (3), (4); create table pubsync.account (name text)`)
	for name, open := range map[string]func() error{
		"Open":     func() error { _, err := Open(t.Context(), address, "default"); return err },
		"OpenView": func() error { _, err := OpenView(t.Context(), address, "default"); return err },
	} {
		if err := open(); !strings.Contains(fmt.Sprint(err), "begin a new one") {
			t.Errorf("%s: got %v, want what to do", name, err)
		}
	}
}
