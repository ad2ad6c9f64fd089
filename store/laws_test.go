package store_test

import (
	"context"
	"sync"
	"testing"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/kvtest"
)

// A shelf has the KVs of a test by their places, to be opened again.
type shelf struct {
	mu  sync.Mutex
	kvs map[string]store.KV
}

func newShelf() *shelf { return &shelf{kvs: map[string]store.KV{}} }

func (s *shelf) memory(place string) (store.KV, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if kv, ok := s.kvs[place].(*store.Memory); ok {
		s.kvs[place] = kv.Reopened()
	} else {
		s.kvs[place] = store.NewMemory()
	}
	return s.kvs[place], nil
}

// over puts an Over above what is held, each time that it is opened again another one.
func (s *shelf) over(place string) (kv store.KV, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	below, ok := s.kvs[place]
	if !ok {
		below = store.NewMemory()
	}
	over, err := store.Over(context.Background(), store.Store{KV: below})
	s.kvs[place] = over.KV
	return over.KV, err
}

func TestLawsOfMemory(t *testing.T) {
	t.Parallel()
	kvtest.Run(t, newShelf().memory)
}

func TestLawsOfOver(t *testing.T) {
	t.Parallel()
	kvtest.Run(t, newShelf().over)
}
