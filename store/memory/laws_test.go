package memory_test

import (
	"sync"
	"testing"

	"github.com/pubsync/pubsync/store/memory"
	"github.com/pubsync/pubsync/store/storetest"
)

func TestLaws(t *testing.T) {
	t.Parallel()
	storetest.Run(t, Opener())
}

// Opener opens the store of a place: the same again, once that was closed.
func Opener() storetest.Open {
	var mu sync.Mutex
	places := map[string]*memory.Store{}
	return func(place string) (storetest.Store, error) {
		mu.Lock()
		defer mu.Unlock()
		s, ok := places[place]
		if ok {
			s = s.Reopened()
		} else {
			s = memory.New()
		}
		places[place] = s
		return s, nil
	}
}
