package setup

import (
	"sync"

	"golang.org/x/sync/semaphore"
)

// Shared is what the accounts of a process share: slots for calls of their shops. The zero value has
// none yet.
type Shared struct {
	mu    sync.Mutex
	slots *semaphore.Weighted
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
