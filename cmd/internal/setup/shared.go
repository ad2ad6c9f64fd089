package setup

import (
	"sync"

	"golang.org/x/sync/semaphore"

	"github.com/pubsync/pubsync/connector/marketplace"
)

// Shared is what the accounts of a process share: slots for calls of their shops, and points where
// they are of one app. The zero value has none yet.
type Shared struct {
	mu      sync.Mutex
	buckets map[string]*marketplace.Bucket // by the app
	slots   *semaphore.Weighted
}

// bucket is the points that a client of an account draws on, nil for those of its own.
func (s *Shared) bucket(c *Setup) *marketplace.Bucket {
	if s == nil || c.MarketplaceBucket != "app" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	app := string(c.MarketplaceURL) + "\n" + c.OAuthClientID
	if s.buckets[app] == nil {
		if s.buckets == nil {
			s.buckets = map[string]*marketplace.Bucket{}
		}
		s.buckets[app] = marketplace.NewBucket()
	}
	return s.buckets[app]
}

// mostCalls bounds the calls of the shops of all accounts of a process at a time.
const mostCalls = 256

// callSlots is a slot for each call that the shops of all accounts may get at a time, nil where the
// process has one account.
func (s *Shared) callSlots() *semaphore.Weighted {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.slots == nil {
		s.slots = semaphore.NewWeighted(mostCalls)
	}
	return s.slots
}

// Share has the accounts of a process draw on what is shared.
func (c *Setup) Share(s *Shared) { c.shared = s }
