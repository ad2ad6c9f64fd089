package connector

import (
	"context"
	"errors"
	"iter"
	"testing"
	"testing/synctest"

	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/takeover"
	"github.com/pubsync/pubsync/shopadapter"
)

// A brokenList is a shop whose list breaks off after some listings.
type brokenList struct {
	listingShelf
	after int // 0: never
}

func (s *brokenList) Listings(ctx context.Context) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		n := 0
		for l, err := range s.listingShelf.Listings(ctx) {
			if n++; s.after > 0 && n > s.after {
				yield(shopadapter.Listed{}, shopadapter.Retry("the shop went away"))
				return
			}
			if !yield(l, err) {
				return
			}
		}
	}
}

// A rebuild that breaks off goes on where it is asked for again, or with the next run; nothing else
// that fills a store lets it be rebuilt.
func TestRebuildGoesOn(t *testing.T) {
	for _, goOn := range []string{"rebuild", "run"} {
		t.Run(goOn, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, sandbox.Options{})
				b.lists = true
				b.box.AddSound(6)
				b.once(false)
				if _, err := takeover.Rebuild(t.Context(), b.store, listingShelf{b.shop}); !errors.Is(
					err,
					takeover.ErrNotEmpty,
				) {
					t.Errorf("a store that a run filled: %v", err)
				}
				b.lose()
				shop := &brokenList{listingShelf{b.shop}, 2}
				if n, err := takeover.Rebuild(t.Context(), b.store, shop); n != 2 ||
					!errors.As(err, new(*health.ShopError)) {
					t.Fatalf("broken off: %d, %v", n, err)
				}
				shop.after = 0
				if goOn == "rebuild" {
					if n, err := takeover.Rebuild(t.Context(), b.store, shop); n != 4 || err != nil {
						t.Errorf("gone on: %d, %v", n, err)
					}
				}
				s := b.once(false)
				if s.Created != 0 || s.Held != 0 || s.Reported != 0 || b.shop.count("create") != 6 {
					t.Errorf("the run after it: %+v", s)
				}
				if _, err := takeover.Rebuild(t.Context(), b.store, shop); !errors.Is(err, takeover.ErrNotEmpty) {
					t.Errorf("once it is done: %v", err)
				}
				before := len(b.shop.since(0))
				b.once(true)
				if more := b.shop.since(before); len(more) != 0 {
					t.Errorf("%d more writes", len(more))
				}
			})
		})
	}
}

// A store that an adapter without a list filled is not an interrupted rebuild.
func TestAFullStoreIsNotRebuilt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{})
		b.box.AddSound(2)
		b.once(false)
		if _, err := takeover.Rebuild(t.Context(), b.store, listingShelf{b.shop}); !errors.Is(
			err,
			takeover.ErrNotEmpty,
		) {
			t.Errorf("rebuild: %v", err)
		}
	})
}
