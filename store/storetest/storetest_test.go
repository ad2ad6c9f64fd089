package storetest_test

import (
	"testing"

	"github.com/pubsync/pubsync/store/bolt"
	_ "github.com/pubsync/pubsync/store/memorytest"
	"github.com/pubsync/pubsync/store/storetest"
)

func TestEverySaboteurIsCaught(t *testing.T) {
	storetest.Sabotage(t, func(place string) (storetest.Store, error) { return bolt.Open(place) })
}
