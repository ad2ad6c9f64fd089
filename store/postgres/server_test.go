//go:build unix

package postgres_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pubsync/pubsync/store/postgrestest"
)

// server is one PostgreSQL for all tests that need none of their own.
var server = sync.OnceValues(postgrestest.Run)

var databases atomic.Int32

// database is the address of a new database.
func database(t testing.TB) string {
	t.Helper()
	postgrestest.Need(t)
	s, err := server()
	if err != nil {
		t.Fatal(err)
	}
	return s.Create(t, fmt.Sprint("test", databases.Add(1)))
}
