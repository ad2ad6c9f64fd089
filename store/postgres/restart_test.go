package postgres_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/pubsync/pubsync/store/postgres"
	"github.com/pubsync/pubsync/store/postgrestest"
)

// A restart of the server ends all connections of the pool. Readings go on through new ones,
// however short ago a connection was used, and whichever reading meets the end.
func TestReadingsOutliveARestart(t *testing.T) {
	t.Parallel()
	postgrestest.Need(t)
	server := postgrestest.Start(t, true)
	s, err := postgres.Open(t.Context(), server.Create(t, "restarted"), "a")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := s.SetMeta(t.Context(), "fact", "known"); err != nil {
		t.Fatal(err)
	}
	for _, immediately := range []bool{true, false} {
		if err := errors.Join(server.Stop(immediately), server.Restart()); err != nil {
			t.Fatal(err)
		}
		var reading sync.WaitGroup
		for range 12 {
			reading.Go(func() {
				if got, err := s.Meta(t.Context(), "fact"); got != "known" || err != nil {
					t.Errorf("a fact: %q, %v, want %q", got, err, "known")
				}
			})
		}
		reading.Wait()
	}
}
