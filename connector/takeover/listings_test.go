package takeover_test

import (
	"context"
	"errors"
	"iter"
	"testing"
	"testing/synctest"

	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/takeover"
	"github.com/pubsync/pubsync/shopadapter"
)

// A brokenList is a shop whose list breaks off after some listings.
type brokenList struct {
	harness.ListingShop
	after int // 0: never
}

func (s *brokenList) Listings(ctx context.Context) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		n := 0
		for l, err := range s.ListingShop.Listings(ctx) {
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
				b := harness.New(t, sandbox.Options{})
				b.Lists = true
				b.Market.AddSound(6)
				b.Once(false)
				if _, err := takeover.Rebuild(t.Context(), b.Store, harness.ListingShop{Shop: b.Shop}); !errors.Is(
					err,
					takeover.ErrNotEmpty,
				) {
					t.Errorf("a store that a run filled: %v, want %v", err, takeover.ErrNotEmpty)
				}
				b.Lose()
				shop := &brokenList{harness.ListingShop{Shop: b.Shop}, 2}
				if n, err := takeover.Rebuild(t.Context(), b.Store, shop); n != 2 ||
					!errors.As(err, new(*health.ShopError)) {
					t.Fatalf("broken off: %d, %v, want 2 and the shop's error", n, err)
				}
				shop.after = 0
				if goOn == "rebuild" {
					if n, err := takeover.Rebuild(t.Context(), b.Store, shop); n != 4 || err != nil {
						t.Errorf("gone on: %d, %v, want 4 and no error", n, err)
					}
				}
				s := b.Once(false)
				if s.Created != 0 || s.Held != 0 || s.Reported != 0 || b.Shop.Count("create") != 6 {
					t.Errorf("the run after it: got %+v, want Created 0, Held 0, Reported 0 and calls of create 6", s)
				}
				if _, err := takeover.Rebuild(t.Context(), b.Store, shop); !errors.Is(err, takeover.ErrNotEmpty) {
					t.Errorf("once it is done: %v, want %v", err, takeover.ErrNotEmpty)
				}
				before := len(b.Shop.Since(0))
				b.Once(true)
				if more := b.Shop.Since(before); len(more) != 0 {
					t.Errorf("%d more writes, want 0", len(more))
				}
			})
		})
	}
}

// A store that an adapter without a list filled is not an interrupted rebuild.
func TestAFullStoreIsNotRebuilt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		b.Market.AddSound(2)
		b.Once(false)
		if _, err := takeover.Rebuild(t.Context(), b.Store, harness.ListingShop{Shop: b.Shop}); !errors.Is(
			err,
			takeover.ErrNotEmpty,
		) {
			t.Errorf("rebuild: %v, want %v", err, takeover.ErrNotEmpty)
		}
	})
}
