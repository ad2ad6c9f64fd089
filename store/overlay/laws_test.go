package overlay_test

import (
	"context"
	"sync"
	"testing"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
	"github.com/pubsync/pubsync/store/keyed"
	"github.com/pubsync/pubsync/store/overlay"
	"github.com/pubsync/pubsync/store/storetest"
)

// A whole overlay ends with its base. What it holds is gone with the process, so that the law finds
// the same one behind a place.
type whole struct {
	*overlay.Store
	base storetest.Store
}

func (w whole) Close() error { return nil }

func TestLaws(t *testing.T) {
	t.Parallel()
	bases := map[string]storetest.Open{
		"memory": func(string) (storetest.Store, error) { return keyed.InMemory(), nil },
		"bolt":   func(place string) (storetest.Store, error) { return bolt.Open(place) },
	}
	for name, open := range bases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			places := map[string]whole{}
			t.Cleanup(func() {
				for _, w := range places {
					_ = w.base.Close()
				}
			})
			storetest.Run(t, func(place string) (storetest.Store, error) {
				mu.Lock()
				defer mu.Unlock()
				if w, ok := places[place]; ok {
					return w, nil
				}
				base, err := open(place)
				if err != nil {
					return nil, err
				}
				top, err := overlay.New(context.Background(), store.ReadOnly(base))
				places[place] = whole{top, base}
				return places[place], err
			})
		})
	}
}
