package bolt_test

import (
	"testing"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
	"github.com/pubsync/pubsync/store/kvtest"
)

func TestLaws(t *testing.T) {
	t.Parallel()
	kvtest.Run(t, func(place string) (store.KV, error) {
		s, err := bolt.Open(place)
		return s.KV, err
	})
}
