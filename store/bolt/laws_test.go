package bolt_test

import (
	"testing"

	"github.com/pubsync/pubsync/store/bolt"
	"github.com/pubsync/pubsync/store/keyed"
	"github.com/pubsync/pubsync/store/kvtest"
)

func TestLaws(t *testing.T) {
	t.Parallel()
	kvtest.Run(t, func(place string) (keyed.KV, error) { return bolt.Open(place) })
}
