//go:build unix

package postgres_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/postgres"
)

// While more methods of stores are called than there are connections for, each waits for its turn,
// without an error of its own. Leases and webhooks do not wait.
func TestLeasesAndWebhooksWaitForNoTurn(t *testing.T) {
	t.Parallel()
	d, err := postgres.Connect(t.Context(), database(t))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := d.AddAccounts(t.Context(), "a"); err != nil {
		t.Fatal(err)
	}
	leases, err := d.Claim(t.Context(), "test", 1, "a")
	if err != nil || len(leases) != 1 {
		t.Fatalf("got %d leases and %v, want one", len(leases), err)
	}
	s := d.StoreOf(leases[0])
	give := d.TakeTurns(t)
	if err := d.Renew(t.Context(), leases...); err != nil {
		t.Errorf("renew without a turn: %v", err)
	}
	if err := d.Accept(t.Context(), "a", store.Mark{ID: "p", Class: store.ClassHook, At: 1}); err != nil {
		t.Errorf("accept without a turn: %v", err)
	}
	for name, call := range map[string]func(ctx context.Context) error{
		"Counts": func(ctx context.Context) error { _, err := s.Counts(ctx); return err },
		"Mark": func(ctx context.Context) error {
			return s.Mark(ctx, store.Mark{ID: "q", Class: store.ClassHook, At: 1})
		},
		"SetMeta": func(ctx context.Context) error { return s.SetMeta(ctx, "fact", "x") },
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		if err := call(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s without a turn: got %v, want the end of its context", name, err)
		}
		cancel()
	}
	waited := make(chan error, 1)
	go func() {
		waited <- s.Mark(context.WithoutCancel(t.Context()), store.Mark{ID: "q", Class: store.ClassHook, At: 1})
	}()
	give()
	if err := <-waited; err != nil {
		t.Errorf("mark when its turn comes: %v", err)
	}
}
