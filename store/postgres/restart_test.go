package postgres_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/postgres"
	"github.com/pubsync/pubsync/store/postgrestest"
)

// A restart of the server ends all connections of the pool. Readings go on through new ones,
// however short ago a connection was used, and whichever reading meets the end.
func TestReadingsOutliveARestart(t *testing.T) {
	t.Parallel()
	postgrestest.Need(t)
	server := postgrestest.Start(t)
	s, err := postgres.Open(t.Context(), server.Create(t, "restarted"), "a", "")
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
	for _, mode := range []string{"immediate", "fast"} {
		if err := errors.Join(server.Stop(mode), server.Restart()); err != nil {
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

// A write whose notification fails is made once: it is durable, and the notification is a hint.
func TestANotificationThatFailsRepeatsNoWrite(t *testing.T) {
	t.Parallel()
	postgrestest.Need(t)
	server := postgrestest.Start(t)
	address := server.Create(t, "notified")
	d, err := postgres.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	// One that notifies holds the lock of all that do, for as long as it waits for a standby.
	server.Ask(t, "notified", "alter system set synchronous_standby_names = 'none'")
	server.Ask(t, "notified", "alter system set synchronous_commit = local")
	server.Ask(t, "notified", "select pg_reload_conf()")
	slow, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	all.Go(func() {
		defer slow.Close(context.WithoutCancel(ctx)) //nolint:errcheck // it waits for nobody
		_, _ = slow.Exec(ctx, "set synchronous_commit = on")
		_, _ = slow.Exec(ctx, "begin; create table t (); notify pubsync; commit")
	})
	t.Cleanup(func() { cancel(); all.Wait() })
	for server.Ask(t, "notified", "select count(*) from pg_stat_activity where wait_event = 'SyncRep'") != "1\n" {
		time.Sleep(10 * time.Millisecond)
	}
	runs := 0
	err = d.Store("a").Update(t.Context(), nil, func(tx *store.Tx) error {
		runs++
		tx.Put(store.Key{Bucket: "due", Key: "a"}, []byte{})
		return nil
	})
	if runs != 1 || err != nil {
		t.Errorf("the write was made %d times, %v, want once", runs, err)
	}
}
