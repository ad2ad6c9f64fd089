//go:build unix

package postgres_test

import (
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/kvtest"
	"github.com/pubsync/pubsync/store/postgres"
	"github.com/pubsync/pubsync/store/postgrestest"
)

// server is one PostgreSQL for all tests that need none of their own.
var server = sync.OnceValues(func() (*postgrestest.Server, error) { return postgrestest.Run(false) })

func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("rapid.checks"); f.Value.String() == f.DefValue {
		_ = f.Value.Set("5") // each step is many round trips
	}
	code := m.Run()
	if postgrestest.Wanted() {
		if s, err := server(); err == nil {
			s.Close()
		}
	}
	os.Exit(code)
}

var databases struct {
	sync.Mutex
	n int
}

// database is the address of a new database.
func database(t testing.TB) string {
	t.Helper()
	postgrestest.Need(t)
	s, err := server()
	if err != nil {
		t.Fatal(err)
	}
	databases.Lock()
	defer databases.Unlock()
	databases.n++
	return s.Create(t, fmt.Sprint("test", databases.n))
}

// Every place is an account, all in one database.
func TestLawsOfAKV(t *testing.T) {
	t.Parallel()
	address := database(t)
	kvtest.Run(t, func(place string) (store.KV, error) {
		s, err := postgres.Open(t.Context(), address, place, "")
		return s.KV, err
	})
}
