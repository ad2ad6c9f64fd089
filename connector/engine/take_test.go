package engine

import (
	"context"
	"iter"
	"path/filepath"
	"testing"

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
