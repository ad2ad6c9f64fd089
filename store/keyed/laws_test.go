package keyed_test

import (
	"sync"
	"testing"

	"github.com/pubsync/pubsync/store/keyed"
	"github.com/pubsync/pubsync/store/storetest"
)

func TestLawsInMemory(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	places := map[string]*keyed.Memory{}
	storetest.Run(t, func(place string) (storetest.Store, error) {
		mu.Lock()
		defer mu.Unlock()
		kv, ok := places[place]
		if ok {
			kv = kv.Reopened()
		} else {
			kv = keyed.NewMemory()
		}
		places[place] = kv
		return &keyed.Store{KV: kv}, nil
	})
}
