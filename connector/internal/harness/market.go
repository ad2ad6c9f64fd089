package harness

import (
	"slices"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// Unthrottled is a marketplace whose bucket nobody can empty, and whose queries are as large as
// those of one that is throttled.
func Unthrottled() sandbox.Options {
	return sandbox.Options{Limit: 1 << 30, RestoreRate: 1 << 30, QueryLimit: 2000}
}

// ContentReads counts the requests that read the content of a publication.
func (b *Bench) ContentReads(id string) (n int) {
	for _, r := range b.Market.Requests() {
		if slices.Contains(r.Content, id) {
			n++
		}
	}
	return n
}
