package setup

import (
	"sync"

	"github.com/pubsync/pubsync/connector/marketplace"
)

// Buckets are the points that the accounts of a process share where they are of one app. The zero value
// has none yet.
type Buckets struct {
	mu  sync.Mutex
	all map[string]*marketplace.Bucket // by the app
}

// of is the bucket that a client of an account draws on, nil for one of its own.
func (b *Buckets) of(c *Setup) *marketplace.Bucket {
	if b == nil || c.MarketplaceBucket != "app" {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	app := string(c.MarketplaceURL) + "\n" + c.OAuthClientID
	if b.all[app] == nil {
		if b.all == nil {
			b.all = map[string]*marketplace.Bucket{}
		}
		b.all[app] = marketplace.NewBucket()
	}
	return b.all[app]
}

// Share has the accounts of a process that share these buckets draw on one for each app, if the
// settings say so.
func (c *Setup) Share(b *Buckets) { c.buckets = b }
