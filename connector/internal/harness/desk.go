package harness

import (
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

// Desk returns the desk of a store without a worker.
func Desk(s store.Store) *desk.Local {
	return &desk.Local{Store: s, Worker: desk.Remote{Alone: desk.Alone{Store: s}}}
}
