package harness

import (
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// Unthrottled is a marketplace whose bucket nobody can empty, and whose queries are as large as
// those of one that is throttled.
func Unthrottled() sandbox.Options {
	return sandbox.Options{Limit: 1 << 30, RestoreRate: 1 << 30, QueryLimit: 2000}
}
