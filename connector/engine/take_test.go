package engine

import (
	"context"
	"errors"
	"iter"
	"path/filepath"
	"testing"

	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
)

// A shop is an adapter that lists.
type shop struct {
	shopadapter.Adapter
	fails error
	asked int
}

func (s *shop) List(context.Context, shopadapter.Query) iter.Seq2[shopadapter.Listed, error] {
	s.asked++
	return func(yield func(shopadapter.Listed, error) bool) {
		if s.fails != nil {
			yield(shopadapter.Listed{}, s.fails)
			return
		}
		yield(
			shopadapter.Listed{
				Ref:     shopadapter.Ref{Publication: "p1", Listing: "shop-1"},
				Listing: shopadapter.Listing{URL: "https://shop.example/1", OnSale: true},
			},
			nil,
		)
	}
}

func newStore(t *testing.T) store.Store {
	t.Helper()
	s, err := bolt.Open(filepath.Join(t.TempDir(), "pubsync.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func newTaker(t *testing.T, s store.Store, account string, adapter shopadapter.Adapter) *Engine {
	t.Helper()
	box := sandbox.New(sandbox.Options{Account: account})
	t.Cleanup(box.Close)
	return New(Options{
		Store: s, Shop: adapter, Concurrency: 1,
		Market: marketplace.New(marketplace.Config{
			URL: "http://marketplace.example", Token: sandbox.DefaultToken, Transport: box.Transport(),
		}).Reader,
	})
}

// A store is ready once its account is known and what the shop holds is in it. The shop is asked
// once, and again after an error.
func TestPrepare(t *testing.T) {
	s, adapter := newStore(t), &shop{fails: shopadapter.Retry("away")}
	x := newTaker(t, s, "acme", adapter)
	if x.isTaken() {
		t.Fatal("before it is taken: got ready, want not")
	}
	if err := x.take(t.Context()); !errors.As(err, new(*health.ShopError)) {
		t.Fatalf("a shop that fails: got %v, want a ShopError", err)
	}
	if x.isTaken() {
		t.Fatal("a shop that fails: got ready, want not")
	}
	if account, err := store.Account(t.Context(), s); account != "acme" || err != nil {
		t.Fatalf("the store belongs to %q, want acme: %v", account, err)
	}
	if due, err := isDue(t.Context(), s); !due || err != nil {
		t.Errorf("after an error: got due %t, %v, want the shop asked again", due, err)
	}
	adapter.fails = nil
	for range 2 {
		if err := x.take(t.Context()); err != nil || !x.isTaken() {
			t.Fatalf("got %v, ready %t, want it ready", err, x.isTaken())
		}
	}
	if h, err := s.Get(t.Context(), "p1"); err != nil || h.Record.ShopID != "shop-1" || h.Record.Sale != store.OnSale {
		t.Errorf("got %+v, %v, want shop-1 on sale", h.Record, err)
	}
	again := newTaker(t, s, "acme", adapter)
	if err := again.take(t.Context()); err != nil || !again.isTaken() {
		t.Errorf("after a restart: got %v, ready %t, want it ready", err, again.isTaken())
	}
	if adapter.asked != 2 {
		t.Errorf("got the shop asked %d times, want 2: once with an error, and once", adapter.asked)
	}
	if x.TokenRenewed(); x.isTaken() {
		t.Error("with another token: got ready, want not")
	}
	other := newTaker(t, s, "beta", adapter)
	if err := other.take(t.Context()); !errors.As(err, new(*store.AccountError)) || other.isTaken() {
		t.Errorf("another account: got %v, ready %t, want an AccountError and not ready", err, other.isTaken())
	}
}

// isDue reports whether the next list asks the shop what it holds as ours.
func isDue(ctx context.Context, s store.Store) (bool, error) {
	mapped, err := s.Meta(ctx, metaMapped)
	if err != nil {
		return false, err
	}
	copied, err := s.Meta(ctx, MetaCopied)
	return mapped == "" || copied != "", err
}
