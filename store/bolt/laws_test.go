package bolt_test

import (
	"testing"

	"github.com/pubsync/pubsync/store/bolt"
	"github.com/pubsync/pubsync/store/storetest"
)

func TestLaws(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(place string) (storetest.Store, error) { return bolt.Open(place) })
}
