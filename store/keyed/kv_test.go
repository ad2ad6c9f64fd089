package keyed_test

import (
	"context"
	"sync"
	"testing"

	"github.com/pubsync/pubsync/store/keyed"
	"github.com/pubsync/pubsync/store/kvtest"
)

// A shelf has the KVs of a test by their places, to be opened again.
type shelf struct {
	mu  sync.Mutex
	kvs map[string]keyed.KV
}

func newShelf() *shelf { return &shelf{kvs: map[string]keyed.KV{}} }

func (s *shelf) memory(place string) (keyed.KV, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if kv, ok := s.kvs[place].(*keyed.Memory); ok {
		s.kvs[place] = kv.Reopened()
	} else {
		s.kvs[place] = keyed.NewMemory()
	}
	return s.kvs[place], nil
}

// over puts an Over above what is held, each time that it is opened again another one.
func (s *shelf) over(place string) (kv keyed.KV, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	below, ok := s.kvs[place]
	if !ok {
		below = keyed.NewMemory()
	}
	s.kvs[place], err = keyed.NewOver(context.Background(), below)
	return s.kvs[place], err
}

func TestLawsOfMemory(t *testing.T) {
	t.Parallel()
	kvtest.Run(t, newShelf().memory)
}

func TestLawsOfOver(t *testing.T) {
	t.Parallel()
	kvtest.Run(t, newShelf().over)
}
